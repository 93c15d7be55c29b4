"""A simulated array that real programs read and write: volumes as network block devices.

Each volume is served by the NBD protocol. A request is put into the simulation at the simulated
instant at which it arrives, and is answered when the clock on the wall has come to the time at
which the simulation says that it ends, with the bytes that the drives really hold.

The parts, each of which knows only those above it in this list:

- ``protocol``, ``handshake``: bytes to messages and back, without any input or output;
- ``sparse``, ``members``, ``promised``: what drives hold, and what a power cut may take back;
- ``superblock``, ``images``, ``nested``, ``image_work``: files of drives as Linux md has them;
- ``making``, ``keeper``, ``reopening``, ``spans``, ``folder``: such files, made and used;
- ``stored``: the bytes of a volume through faults;
- ``clock``, ``device``, ``attached``: real and simulated time, a volume, and all of a scenario;
- ``connection``, ``steering``, ``server``: clients, what an operator asks for, and listening.
"""

"""A simulated array that real programs read and write: volumes as network block devices.

Each volume is served with the NBD protocol. A request enters the simulation at the simulated
instant of its arrival. The simulation computes when it ends. It is answered when real time has
reached this time, with the bytes that the drives really hold.

The parts, each of which uses only those above it in this list:

- ``protocol``, ``handshake``: bytes to messages and back, without any input or output;
- ``sparse``, ``members``, ``promised``: what drives hold, and what a power cut may take back;
- ``superblock``, ``images``, ``nested``, ``image_work``: files of drives as Linux md has them;
- ``making``, ``keeper``, ``reopening``, ``spans``, ``folder``: such files, made and used;
- ``stored``: the bytes of a volume through faults;
- ``clock``, ``device``, ``attached``: real and simulated time, a volume, and all of a scenario;
- ``connection``, ``steering``, ``server``: clients, requests of an operator, and listening.
"""

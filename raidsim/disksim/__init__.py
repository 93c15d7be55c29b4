"""Disks as DiskSim describes them: its parameter files to a card, and a card to such files.

What the parameters mean: J. Bucy, J. Schindler, S. Schlosser, G. Ganger, "The DiskSim simulation
environment version 4.0 reference manual", Carnegie Mellon University, CMU-PDL-08-101, 2008.
"""

from raidsim.disksim.card_text import card_text
from raidsim.disksim.files import files_of
from raidsim.disksim.reading import SUFFIXES, is_disksim, read_disk

__all__ = ["SUFFIXES", "card_text", "files_of", "is_disksim", "read_disk"]

"""Write which cards claims are about: part of ``python docs/reference/generate.py``."""

from raidsim.resources import data_folder
from raidsim.unknowns.compared import LIST
from raidsim.validate import schema
from raidsim.validate.concerned import parts_of
from raidsim.validate.systems import Systems

HEAD = """\
# Drives, controllers, and hosts that do RAID themselves, that a claim is about.
# Written by: python docs/reference/generate.py
"""


def text() -> str:
    """Return the file: the names of the cards, one a line."""
    systems = Systems()
    found = set().union(*(parts_of(claim, systems) for claim in schema.load(None)))
    return HEAD + "".join(f"{name}\n" for name in sorted(found))


def refresh() -> None:
    """Write the file anew."""
    (data_folder("validation") / LIST).write_text(text(), encoding="utf-8")

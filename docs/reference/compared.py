"""Write which cards claims are about: part of ``python docs/reference/generate.py``."""

from raidsim.resources import data_folder
from raidsim.unknowns.compared import LIST, SERVER
from raidsim.validate import schema
from raidsim.validate.concerned import hosts_of, parts_of
from raidsim.validate.systems import Systems

HEAD = """\
# Drives, controllers, and hosts that do RAID themselves, that a claim is about, and its documents.
# "server" is a host on which the figures of a document were measured.
# Written by: python docs/reference/generate.py
"""


def text() -> str:
    """Return the file: the cards, one a line, with the documents that have measured them."""
    systems = Systems()
    found: dict[str, set[str]] = {}
    for claim in schema.load(None):
        for name in parts_of(claim, systems) | {SERVER + one for one in hosts_of(claim, systems)}:
            found.setdefault(name, set()).add(claim.document)
    rows = sorted(found.items(), key=lambda row: (row[0].startswith(SERVER), row[0]))
    return HEAD + "".join(f"{name}: {' '.join(sorted(where))}\n" for name, where in rows)


def refresh() -> None:
    """Write the file anew."""
    (data_folder("validation") / LIST).write_text(text(), encoding="utf-8")

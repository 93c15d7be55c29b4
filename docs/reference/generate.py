"""Write what follows from code, cards and claims: ``python docs/reference/generate.py``."""

from pathlib import Path

import compared  # beside this script
import kernel_tables
import parameters

from raidsim.cards import reference as cards
from raidsim.planning import reference as need
from raidsim.scenario import reference as scenario

PAGES = {
    "cards.md": cards.markdown,
    "need.md": need.markdown,
    "scenario.md": scenario.markdown,
    "tables.md": kernel_tables.markdown,
}


def main() -> None:
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")
    parameters.refresh()
    compared.refresh()


if __name__ == "__main__":
    main()

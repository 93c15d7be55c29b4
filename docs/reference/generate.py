"""Write the reference pages that are made from the code: ``python docs/reference/generate.py``."""

from pathlib import Path

from raidsim.cards import reference as cards
from raidsim.scenario import reference as scenario

PAGES = {"cards.md": cards.markdown, "scenario.md": scenario.markdown}


def main() -> None:
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""``python -m raidsim`` is the ``raidsim`` command, and the command begins here.

Loading the program takes most of a second, in which Ctrl-C shall end it as it does later.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Load the command, and run it with the arguments that were typed."""
    try:
        from raidsim.cli import main as command  # noqa: PLC0415  (inside of the try)

        command()
    except KeyboardInterrupt:  # while it is loaded
        sys.stderr.write("Interrupted.\n")
        exec("")
        sys.exit(130)


if __name__ == "__main__":
    main()

"""``python -m raidsim`` is the ``raidsim`` command."""

from raidsim.cli import main

if __name__ == "__main__":
    main()

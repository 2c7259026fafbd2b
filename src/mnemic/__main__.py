"""``python -m mnemic`` is the command ``mnemic``."""

from mnemic.cli import main

main()

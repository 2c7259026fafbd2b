"""``python -m recollect`` is the command ``recollect``."""

from recollect.cli import main

main()

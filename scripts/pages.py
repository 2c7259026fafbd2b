"""Pages of the docs that are written from the code."""

from __future__ import annotations

import sys
from pathlib import Path


def put_out(page: str) -> None:
    """Print a page, or replace the file after ``--write`` whole, once the page is complete."""
    match sys.argv[1:]:
        case [*_, "--write", path]:
            draft = Path(f"{path}.new")
            draft.write_text(page, encoding="utf-8")
            draft.replace(path)
        case _:
            sys.stdout.write(page)

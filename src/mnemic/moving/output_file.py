"""Writing an export: a file is replaced whole or left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from mnemic.documents.files import write
from mnemic.errors import Conflict

Target = Path | BinaryIO


def write_text(to: Target, text: str) -> None:
    """Write a text as UTF-8, to a file or into a pipe."""
    if isinstance(to, Path):
        write(to, text.encode())
    else:
        to.write(text.encode())
        to.flush()


def refuse_to_replace(to: Path) -> None:
    """Conflict where a file is in the way, or a folder that is not empty."""
    if to.is_symlink() or to.is_file() or (to.is_dir() and any(to.iterdir())):
        raise Conflict(
            f"{to} is there already", remedy="Name another place, or --force replaces it"
        )

"""Creating files and folders for their owner alone, whatever the umask; existing modes stay."""

from __future__ import annotations

import os
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def make_folder(folder: Path) -> None:
    """Create a folder and the missing ones above it."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        if folder == folder.parent:
            break
        folder = folder.parent
    for folder in reversed(missing):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def opener(path: str, flags: int) -> int:
    """For ``open(..., opener=...)``: a file that this creates is its owner's."""
    return os.open(path, flags, FILE_MODE)


def create_empty(path: Path) -> None:
    """Create an empty file; one that exists is left as it is."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    except FileExistsError:
        return

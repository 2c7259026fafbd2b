"""Writing an export: a file is replaced whole or left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from mnemic.engine.mind import Mind
from mnemic.errors import Conflict
from mnemic.moving.archive import export_jsonl
from mnemic.moving.markdown import ExportOptions, export_markdown, export_markdown_files
from mnemic.store.new_file import write


def write_export(
    mind: Mind, form: str, to: Path | BinaryIO, options: ExportOptions, *, folder: bool = False
) -> None:
    """Write a memory as "html", "markdown" (a month a file in a ``folder``) or "jsonl"."""
    if form == "jsonl":
        progress = options["progress"] or (lambda done, total: None)
        export_jsonl(mind, to, secrets=options["secrets"], progress=progress)
        return
    if folder and isinstance(to, Path):
        for name, text in export_markdown_files(mind, **options).items():
            write(to / name, text.encode())
        return
    if form == "html":
        from mnemic.moving.page import export_page

        data = export_page(mind, **options).encode()
    else:
        data = export_markdown(mind, **options).encode()
    if isinstance(to, Path):
        write(to, data)
    else:
        to.write(data)
        to.flush()


def refuse_to_replace(to: Path) -> None:
    """Conflict where a file is in the way, or a folder that is not empty."""
    if to.is_symlink() or to.is_file() or (to.is_dir() and any(to.iterdir())):
        raise Conflict(
            f"{to} is there already", remedy="Name another place, or --force replaces it"
        )

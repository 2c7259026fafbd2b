"""mnemic export"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemic.cli.base import command
from mnemic.cli.output import emit, say, size
from mnemic.cli.phrases import Language, count_things, phrase
from mnemic.cli.progress import bar
from mnemic.cli.state import State

if TYPE_CHECKING:
    from mnemic.moving.markdown import ExportOptions


_ENDINGS = {"html": ".html", "markdown": ".md", "jsonl": ".jsonl"}


@command("export")
def export(
    state: State,
    *,
    to: str | None,
    form: str | None,
    language: Language | None,
    name: str,
    secrets: bool,
    force: bool,
) -> None:
    """Write a memory as a page, as markdown or as JSON lines.

    TO is a file, or - for a pipe; without it memory.html, memory.md or memory.jsonl in this folder.
    Where it ends with a slash, markdown goes into that folder, a file a month. A file is written
    whole or not at all. JSON lines hold everything, and mnemic import reads them again. Secrets
    are masked, unless --secrets asks for them.
    """
    from mnemic.moving.output_file import refuse_to_replace, write_export

    folder = to is not None and to.endswith(("/", "\\"))
    chosen = form or _form(to or "", folder)
    if folder and chosen != "markdown":
        raise click.UsageError("Only markdown goes into a folder; name a file.")
    path = Path(to or f"memory{_ENDINGS[chosen]}").expanduser()
    piped = to == "-"
    if not piped and not force:
        refuse_to_replace(path)
    with state.open() as mind, bar(phrase("Writing")) as progress:
        options: ExportOptions = {"language": language, "name": name, "secrets": secrets}
        options["progress"] = progress
        write_export(mind, chosen, sys.stdout.buffer if piped else path, options, folder=folder)
    if piped:
        return
    paths = sorted(path.glob("*.md")) if folder else [path]
    sizes = {str(file): file.stat().st_size for file in paths}
    if state.json:
        emit({"path": path, "format": chosen, "bytes": sum(sizes.values()), "files": sizes})
    else:
        files = phrase(", ") + count_things(len(sizes), "file") if folder else ""
        total = size(sum(sizes.values())) + files
        say(phrase("Written to {path} ({size}).", path=path, size=total))


def _form(to: str, folder: bool) -> str:
    """What the name of a file asks for."""
    if folder:
        return "markdown"
    ending = Path(to).suffix.lower()
    chosen = next((form for form, usual in _ENDINGS.items() if usual == ending), None)
    if chosen is None and ending:
        raise click.UsageError(
            f"{ending} is not a type of export. End the name with .html, .md or .jsonl,"
            " or pass --format."
        )
    return chosen or "html"

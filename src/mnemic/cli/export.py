"""mnemic export"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, say, size
from mnemic.cli.phrases import LANGUAGES, Language, count_things, phrase
from mnemic.cli.progress import bar
from mnemic.cli.state import State, pass_state

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind
    from mnemic.moving.markdown import ExportOptions
    from mnemic.moving.output_file import Target


def _html(mind: Mind, to: Target, options: ExportOptions) -> None:
    from mnemic.moving.output_file import write_text
    from mnemic.moving.page import export_page

    write_text(to, export_page(mind, **options))


def _markdown(mind: Mind, to: Target, options: ExportOptions) -> None:
    from mnemic.moving.markdown import export_markdown
    from mnemic.moving.output_file import write_text

    write_text(to, export_markdown(mind, **options))


def _markdown_folder(mind: Mind, to: Target, options: ExportOptions) -> None:
    from mnemic.moving.markdown import export_markdown_files
    from mnemic.moving.output_file import write_text

    assert isinstance(to, Path)
    for name, text in export_markdown_files(mind, **options).items():
        write_text(to / name, text)


def _jsonl(mind: Mind, to: Target, options: ExportOptions) -> None:
    from mnemic.moving.archive import export_jsonl

    progress = options["progress"] or (lambda done, total: None)
    export_jsonl(mind, to, secrets=options["secrets"], progress=progress)


_WRITERS: dict[str, Callable[[Mind, Target, ExportOptions], None]] = {
    "html": _html,
    "markdown": _markdown,
    "jsonl": _jsonl,
}
_ENDINGS = {"html": ".html", "markdown": ".md", "jsonl": ".jsonl"}


@click.command(cls=Command)
@click.argument("to", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_WRITERS)),
    help="What to write. [default: by the file's ending, else html]",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="Language of headings, dates and numbers. [default: memory.language]",
)
@click.option("--name", default="", metavar="NAME", help="Name of the owner, for the title.")
@click.option("--secrets", is_flag=True, help="Include secrets, also those of credentials.")
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@pass_state
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
    from mnemic.moving.output_file import refuse_to_replace

    folder = to is not None and to.endswith(("/", "\\"))
    chosen = form or _form(to or "", folder)
    if folder and chosen != "markdown":
        raise click.UsageError("Only markdown goes into a folder; name a file.")
    path = Path(to or f"memory{_ENDINGS[chosen]}").expanduser()
    piped = to == "-"
    if not piped and not force:
        refuse_to_replace(path)
    with state.open() as mind, bar(phrase("Writing")) as progress:
        options: ExportOptions = {
            "language": language,
            "name": name,
            "secrets": secrets,
            "progress": progress,
        }
        write = _markdown_folder if folder else _WRITERS[chosen]
        write(mind, sys.stdout.buffer if piped else path, options)
    if piped:
        return
    written = {str(file): file.stat().st_size for file in _files(path, folder)}
    if state.json:
        emit({"path": path, "format": chosen, "bytes": sum(written.values()), "files": written})
    else:
        files = phrase(", ") + count_things(len(written), "file") if folder else ""
        total = size(sum(written.values())) + files
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


def _files(path: Path, folder: bool) -> Iterator[Path]:
    if not folder:
        yield path
    else:
        yield from sorted(path.glob("*.md"))

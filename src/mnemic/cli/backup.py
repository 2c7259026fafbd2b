"""mnemic backup, restore-backup, copy, encrypt, export"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemic.cli.output import answer, emit, flat, note, say, size, table
from mnemic.cli.phrases import Language, count_things, phrase, sentence, term
from mnemic.cli.progress import bar
from mnemic.cli.state import State
from mnemic.errors import ConfigError
from mnemic.plain import plain

if TYPE_CHECKING:
    from mnemic.moving.copy import CopyReport
    from mnemic.moving.markdown import ExportOptions


_ONE = {"memories": "memory"}
_MAX_LISTED = 20  # conflicts; the rest are only counted


def backup(state: State, to: str, *, force: bool) -> None:
    from mnemic.moving.backup import backup as back_up

    with state.open() as mind, bar(phrase("Copying")) as progress:
        file = back_up(mind, to, force=force, progress=progress)
    pages = count_things(file.pages, "page")
    line = phrase(
        "{path}: {size} in {pages}, checked.", path=file.path, size=size(file.bytes), pages=pages
    )
    answer(file, lambda: say(f"{line}\n{_contents(file.counts)}"))


def restore_backup(state: State, backup: str, to: str, *, force: bool) -> None:
    from mnemic.moving.backup import restore, settings_beside

    place = Path(to).expanduser().absolute()
    settings = settings_beside(place, state.preset, state.setting_overrides())
    with bar(phrase("Restoring")) as progress:
        report = restore(backup, place, force=force, settings=settings, progress=progress)
    if state.json:
        emit(report)
        return
    say(f"{report.path}: {_contents(report.counts)}")
    if report.released:
        jobs = count_things(report.released, "job")
        note(phrase("{jobs} that were running when the backup was made will run again.", jobs=jobs))
    for aside in filter(None, (report.aside, *report.documents)):
        note(phrase("The previous file is kept as {path}", path=aside))


def _contents(counts: Mapping[str, int]) -> str:
    return phrase(", ").join(
        count_things(number, _ONE.get(name, name.removesuffix("s")), name)
        for name, number in counts.items()
    )


def copy(state: State, *, from_: str, to: str, to_space: str | None) -> int:
    from mnemic.engine.open import database_path
    from mnemic.moving.copy import copy_space

    ends = (database_path(from_), database_path(to))
    with bar(phrase("Copying")) as show:
        report = copy_space(
            *ends, space=state.space_name, to_space=to_space,
            progress=lambda phase, done, total: show(done, total, phrase(phase)),
        )  # fmt: skip
    document = {**plain(report), "rows": report.rows, "verified": report.verified}
    answer(document, lambda: _show_copied(report))
    return 0 if report.verified else 1


def _show_copied(report: CopyReport) -> None:
    for conflict in report.conflicts[:_MAX_LISTED]:
        note(f"{term(conflict.table)}: {flat(sentence(conflict.reason))}")
    if len(report.conflicts) > _MAX_LISTED:
        note(phrase("… and {n:,} more", n=len(report.conflicts) - _MAX_LISTED))
    rows = [
        (term(entry.name), f"{entry.rows:,}", f"{entry.added:,}", f"{entry.known:,}",
         f"{entry.conflicts:,}", phrase("yes") if entry.same else phrase("NO"))
        for entry in report.tables if entry.rows
    ]  # fmt: skip
    head = ("table", "rows", "new", "known", "conflicts", "verified")
    table(head, rows, right="rows new known conflicts")
    name = repr(report.space)
    if report.to_space != report.space:
        name = phrase("{space} as {name}", space=name, name=repr(report.to_space))
    say()
    if report.verified:
        count = count_things(report.rows, "row")
        say(phrase("{rows} of {space} copied and verified", rows=count, space=name))
    else:
        differ = phrase(", ").join(term(entry.name) for entry in report.tables if not entry.same)
        say(phrase("{space} is not the same in both databases: {tables}",
                   space=name, tables=differ))  # fmt: skip


def encrypt(state: State, file: str | None, new_key_file: Path | None, *, decrypt: bool) -> None:
    from mnemic.moving.backup import settings_beside
    from mnemic.moving.encryption import is_encrypted, key_of_file, set_key

    state.db = file or state.db
    path = Path(state.path(create=False))
    if "://" in str(state.db):
        raise ConfigError("Only a file has a key", remedy="Encrypt the disk of the server")
    named = settings_beside(path, state.preset, state.setting_overrides()).store.key_file
    key = os.environ.get("MNEMIC_KEY") or (
        key_of_file(path.parent / Path(named).expanduser()) if named else ""
    )
    new = "" if is_encrypted(str(path)) else key
    if is_encrypted(str(path)) or decrypt:
        key = key or _ask(phrase("Key"))
    if new_key_file is not None:
        new = key_of_file(new_key_file, make=True)
    if not decrypt:
        new = new or os.environ.get("MNEMIC_NEW_KEY") or _ask(phrase("New key"), twice=True)
    report = set_key(path, None if decrypt else new, key=key if is_encrypted(str(path)) else None)
    done = phrase("no longer encrypted") if decrypt else phrase("encrypted")
    line = phrase("{path}: {done}, {size}.", path=report.path, done=done, size=size(report.bytes))
    answer(report, lambda: say(line))


def _ask(label: str, *, twice: bool = False) -> str:
    try:
        return str(click.prompt(label, hide_input=True, confirmation_prompt=twice, err=True))
    except click.Abort as error:
        if sys.stdin.isatty():
            raise
        raise ConfigError(
            "There is no terminal to ask for a key on",
            remedy="Set MNEMIC_KEY and MNEMIC_NEW_KEY, or pass --new-key-file",
        ) from error


_ENDINGS = {"html": ".html", "markdown": ".md", "jsonl": ".jsonl"}


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

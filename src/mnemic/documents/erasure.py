"""Removing forgotten memories from documents: bullets, lines and fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, get_args

from mnemic.documents import files
from mnemic.documents.cards import COMPILED_FOLDER, SOUL_FILE
from mnemic.documents.files import fingerprint
from mnemic.documents.folders import Folders
from mnemic.language.markdown import without
from mnemic.patterns import defer
from mnemic.settings import Settings
from mnemic.settings.environment import DocumentName
from mnemic.space import Space
from mnemic.store import new_file
from mnemic.store.rows import NameKind, Written
from mnemic.types import SafeName

TextTest = Callable[[str], bool]
_BULLET = defer(r"\s{0,3}[-*+•]\s")
_HEADING = defer(r"(?P<begin>#{1,6}[ \t]+)(?P<title>\S.{0,300}?)(?P<end>[ \t#]*\r?\n?)$")


class _Change(NamedTuple):
    """Fingerprints of a file."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """Records to erase: their ids, and tests for texts that repeat them.

    ``quotes`` judges texts of the engine, ``repeats`` those of a person; ``renamed`` says what a
    name of a kind is replaced by, empty where it is removed.
    """

    turns: Collection[str]
    memories: Collection[str]
    quotes: TextTest
    repeats: TextTest
    renamed: Callable[[NameKind, str], SafeName]


def scrub(space: Space, folders: Folders, target: ErasureTarget) -> tuple[Path, ...]:
    """Remove the bullets of forgotten memories, and every line that repeats their content."""
    ids, settings = frozenset(target.memories), space.settings

    def line_after(line: str, ours: bool) -> str:
        heading = _HEADING.match(line)
        if heading is not None:
            title = target.renamed("project", heading["title"])
            if title != heading["title"]:
                return f"{heading['begin']}{title}{heading['end']}" if title else ""
        says = target.quotes if ours or _BULLET.match(line) else target.repeats
        return "" if says(line) else line

    changed = {
        path: change
        for path in files_of(folders, settings)
        if (change := _scrub_file(path, ids, line_after, folders, settings)) is not None
    }
    views = settings.documents
    paths = {str(name): folders.documents / getattr(views, f"{name}_file") for name in views.write}
    paths |= {f"report:{path.name}": path for path in changed if path.parent == folders.reports}
    with space.write() as unit:
        for name, path in paths.items():
            row = unit.document_states.get(name)
            if row is None:
                continue
            after = replace(
                row,
                written=_without(row.written, ids, changed.get(path)),
                writing=_without(row.writing, ids, changed.get(path)),
            )
            if after != row:
                unit.document_states.put(after, space.now())
        for id_ in ids:
            unit.document_states.drop_choices(id_)
    return tuple(changed)


def files_of(folders: Folders, settings: Settings) -> list[Path]:
    """Every file that the engine writes for people, old parts and reports included."""
    named = [getattr(settings.documents, f"{name}_file") for name in get_args(DocumentName)]
    places = {(folders.documents / file).parent for file in named}
    places |= {folders.reports, folders.documents / COMPILED_FOLDER}
    theirs = {folders.documents / file for file in (SOUL_FILE, settings.identity.agent_file)}
    paths = {path for folder in places if folder.is_dir() for path in folder.glob("*.md")}
    return sorted(path for path in paths - theirs if path.is_file())


def _scrub_file(
    path: Path,
    ids: frozenset[str],
    line_after: Callable[[str, bool], str],
    folders: Folders,
    settings: Settings,
) -> _Change | None:
    try:
        loaded = files.load(path)
    except files.UnreadableFile:
        return None  # sync reports it; a person has to look at it
    text = without(loaded.text, ids)
    # Reports and cards have no line of a person.
    cards = folders.documents / COMPILED_FOLDER
    ours = path.parent in (folders.reports, cards)
    scrubbed = "".join(line_after(line, ours) for line in text.splitlines(keepends=True))
    if scrubbed == loaded.text:
        return None
    data = loaded.encode(scrubbed)
    new_file.write(path, data)
    return _Change(fingerprint(loaded.data or b""), fingerprint(data))


def _without(state: Written | None, ids: frozenset[str], change: _Change | None) -> Written | None:
    """The written state without removed memories; a file changed meanwhile stays changed."""
    if state is None:
        return None
    bullets = {id_: mark for id_, mark in state.bullets.items() if id_ not in ids}
    same = change is not None and change.before == state.file
    return Written(change.after if change is not None and same else state.file, bullets)

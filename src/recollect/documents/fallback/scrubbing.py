"""Forgetting in the plain files: what leaves the database leaves them too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from recollect.documents.fallback import logs, notes
from recollect.documents.fallback.files import Folder, state_name
from recollect.documents.fallback.importer import END
from recollect.documents.fallback.logs import Ended, Entry, Failed, Said
from recollect.documents.fallback.notes import Note
from recollect.plain import plain
from recollect.store.contract import Store
from recollect.store.erasure import NameKind
from recollect.types import SafeName

Says = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Gone:
    """What is forgotten: ids, and how to tell a text that says it.

    ``quotes`` judges texts of the engine, ``repeats`` those of a person; ``renamed`` says what a
    name of a kind is replaced by.
    """

    turns: Collection[str]
    memories: Collection[str]
    quotes: Says
    repeats: Says
    renamed: Callable[[NameKind, str], SafeName]


def scrub(store: Store, space: str, folder: Folder, gone: Gone, now: datetime) -> None:
    """Take it out of every file. What the database still holds stays here as well."""
    if not folder.path.is_dir():
        return
    with folder.alone():
        _scrub_notes(store, space, folder, gone)
        for path in folder.logs().values():
            _scrub_log(store, space, folder, path, gone)
            _scrub_ends(store, space, path, gone, now)


def _scrub_log(store: Store, space: str, folder: Folder, path: Path, gone: Gone) -> None:
    text = folder.text(path)
    pieces = list(logs.blocks(text))
    ids = [entry.turn.id for _, entry in pieces if isinstance(entry, Said)]
    with store.read(space) as unit:
        held = {turn.id for turn in unit.ledger.turns_by_id(ids)}

    def goes(entry: Entry) -> bool:
        match entry:
            case Said(turn=turn):
                return turn.id in gone.turns or (turn.id not in held and _says(gone, turn))
            case Failed():
                return gone.quotes(entry.error)
            case Ended():  # it was taken in under its old name
                return gone.renamed("session", entry.session) != entry.session

    judged = (
        (lines, None, None) if entry is None else (lines, goes(entry), _entry_with(entry, gone))
        for lines, entry in pieces
    )
    _replace(folder, path, text, _kept(judged, gone))


def _entry_with(entry: Entry, gone: Gone) -> list[str] | None:
    """The lines of an entry in which a name is replaced; None where none is."""
    after = entry
    if isinstance(entry, Said):
        turn = entry.turn
        calls = (replace(c, name=gone.renamed("tool", c.name)) for c in turn.tool_calls)
        after = replace(
            entry,
            turn=replace(
                turn,
                session=gone.renamed("session", turn.session),
                sender=gone.renamed("sender", turn.sender),
                channel=gone.renamed("channel", turn.channel),
                tool_calls=tuple(calls),
            ),
            project=gone.renamed("project", entry.project),
            topic=gone.renamed("topic", entry.topic),
        )
    elif isinstance(entry, Failed):
        after = replace(entry, where=gone.renamed("host", entry.where))
    return None if after == entry else logs.written(after).rstrip("\n").split("\n")


def _scrub_ends(store: Store, space: str, path: Path, gone: Gone, now: datetime) -> None:
    """What was taken from a log is noted by ids, and the end of a session by its name."""
    with store.write(space) as unit:
        row = unit.document_states.get(state_name(path))
        if row is None or row.written is None:
            return
        kept = {
            name: mark
            for name, mark in row.written.bullets.items()
            if not name.startswith(END) or not _is_renamed(name, gone)
        }
        if kept != row.written.bullets:
            written = replace(row.written, bullets=kept)
            unit.document_states.put(replace(row, written=written), now)


def _is_renamed(end: str, gone: Gone) -> bool:
    """``end:SESSION:TIME``, and a time has colons too."""
    parts = end.removeprefix(END).split(":")
    names = (":".join(parts[:n]) for n in range(1, len(parts)))
    return any(gone.renamed("session", name) != name for name in names)


def _scrub_notes(store: Store, space: str, folder: Folder, gone: Gone) -> None:
    text = folder.text(folder.notes)
    pieces = list(notes.blocks(text))
    with store.read(space) as unit:
        row = unit.document_states.get(state_name(folder.notes))
        became = row.written.bullets if row is not None and row.written is not None else {}
        held = {memory.id for memory in unit.memories.by_id([*filter(None, became.values())])}

    def goes(note: Note) -> bool:
        memory = became.get(note.memory.id, "")
        if memory in gone.memories or memory in held:
            return memory in gone.memories
        return _says(gone, note.memory) if note.ours else gone.repeats(note.memory.content)

    judged = (
        (lines, None, None) if note is None else (lines, goes(note), _note_with(note, gone))
        for lines, note in pieces
    )
    _replace(folder, folder.notes, text, _kept(judged, gone))


def _note_with(note: Note, gone: Gone) -> list[str] | None:
    """The lines of a statement in which a name is replaced; None where none is."""
    memory = note.memory
    after = replace(
        memory,
        project=gone.renamed("project", memory.project),
        topic=gone.renamed("topic", memory.topic),
        predicate=gone.renamed("predicate", memory.predicate),
        tags=tuple(filter(None, (gone.renamed("tag", tag) for tag in memory.tags))),
    )
    operation = gone.renamed("operation", note.operation)
    if not note.ours or (after, operation) == (memory, note.operation):
        return None
    changed = replace(note, memory=after, operation=operation)
    return notes.written(changed).rstrip("\n").split("\n")


def _kept(
    pieces: Iterable[tuple[list[str], bool | None, list[str] | None]], gone: Gone
) -> Iterator[str]:
    """The lines that stay, by whether each piece goes and what it says then. A loose line (None)
    is a person's, or the rest of an entry that was cut off.
    """
    for lines, goes, after in pieces:
        says = gone.quotes if _is_rest(lines[0]) else gone.repeats
        if not (any(map(says, lines)) if goes is None else goes):
            yield from after or lines


def _is_rest(line: str) -> bool:
    return line.startswith((">", "<!--"))


def _says(gone: Gone, record: object) -> bool:
    """Whether any text of a record says it."""
    return any(map(gone.quotes, _texts(plain(record))))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _replace(folder: Folder, path: Path, text: str, lines: Iterable[str]) -> None:
    kept = "\n".join(lines)
    if kept != text:
        folder.replace(path, kept)

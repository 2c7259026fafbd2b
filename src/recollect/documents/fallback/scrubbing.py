"""Forgetting in the plain files: what leaves the database leaves them too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.documents.fallback import logs, notes
from recollect.documents.fallback.files import Folder, state_name
from recollect.documents.fallback.logs import Ended, Entry, Failed, Said
from recollect.documents.fallback.notes import Note
from recollect.plain import plain
from recollect.store.base import Store

Says = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Gone:
    """What is forgotten: ids, and how to tell a text that says it.

    ``quotes`` judges texts of the engine, ``repeats`` those of a person.
    """

    turns: Collection[str]
    memories: Collection[str]
    quotes: Says
    repeats: Says


def scrub(store: Store, space: str, folder: Folder, gone: Gone) -> None:
    """Take it out of every file. What the database still holds stays here as well."""
    if not folder.path.is_dir():
        return
    with folder.alone():
        _scrub_notes(store, space, folder, gone)
        for path in folder.logs().values():
            _scrub_log(store, space, folder, path, gone)


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
            case Ended():
                return False

    judged = ((lines, None if entry is None else goes(entry)) for lines, entry in pieces)
    _replace(folder, path, text, _kept(judged, gone))


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

    judged = ((lines, None if note is None else goes(note)) for lines, note in pieces)
    _replace(folder, folder.notes, text, _kept(judged, gone))


def _kept(pieces: Iterable[tuple[list[str], bool | None]], gone: Gone) -> Iterator[str]:
    """The lines that stay, by whether each piece goes. A loose line (None) is a person's, or the
    rest of an entry that was cut off.
    """
    for lines, goes in pieces:
        says = gone.quotes if _is_rest(lines[0]) else gone.repeats
        if not (any(map(says, lines)) if goes is None else goes):
            yield from lines


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

"""Erasure in the plain files: what is removed from the database is removed here too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from mnemic.documents.erasure import ErasureTarget
from mnemic.documents.fallback import logs, notes
from mnemic.documents.fallback.files import Folder, state_name
from mnemic.documents.fallback.importer import END
from mnemic.documents.fallback.logs import Ended, Entry, Failed, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.plain import plain
from mnemic.space import Space
from mnemic.store.new_file import write


def scrub(space: Space, folder: Folder, target: ErasureTarget) -> None:
    """Erase the target from every file. Records that the database still has stay."""
    if not folder.path.is_dir():
        return
    with folder.alone():
        _scrub_notes(space, folder, target)
        for path in folder.logs().values():
            _scrub_log(space, folder, path, target)
            _scrub_ends(space, path, target)


def _scrub_log(space: Space, folder: Folder, path: Path, target: ErasureTarget) -> None:
    text = folder.text(path)
    pieces = list(logs.blocks(text))
    ids = [entry.turn.id for _, entry in pieces if isinstance(entry, LoggedTurn)]
    with space.read() as unit:
        existing = {turn.id for turn in unit.ledger.turns_by_id(ids)}

    def goes(entry: Entry) -> bool:
        match entry:
            case LoggedTurn(turn=turn):
                return turn.id in target.turns or (
                    turn.id not in existing and _quotes_target(target, turn)
                )
            case Failed():
                return target.quotes(entry.error)
            case Ended():  # it was taken in under its old name
                return target.renamed("session", entry.session) != entry.session

    judged = (
        (lines, None, None) if entry is None else (lines, goes(entry), _entry_with(entry, target))
        for lines, entry in pieces
    )
    _write_remaining(path, text, judged, target)


def _entry_with(entry: Entry, target: ErasureTarget) -> list[str] | None:
    """The lines of an entry in which a name is replaced; None where none is."""
    after = entry
    if isinstance(entry, LoggedTurn):
        turn = entry.turn
        calls = (replace(c, name=target.renamed("tool", c.name)) for c in turn.tool_calls)
        after = replace(
            entry,
            turn=replace(
                turn,
                session=target.renamed("session", turn.session),
                sender=target.renamed("sender", turn.sender),
                channel=target.renamed("channel", turn.channel),
                tool_calls=tuple(calls),
            ),
            project=target.renamed("project", entry.project),
            topic=target.renamed("topic", entry.topic),
        )
    elif isinstance(entry, Failed):
        after = replace(entry, where=target.renamed("host", entry.where))
    return None if after == entry else logs.render(after).rstrip("\n").split("\n")


def _scrub_ends(space: Space, path: Path, target: ErasureTarget) -> None:
    """What was taken from a log is noted by ids, and the end of a session by its name."""
    with space.write() as unit:
        row = unit.document_states.get(state_name(path))
        if row is None or row.written is None:
            return
        remaining = {
            name: mark
            for name, mark in row.written.bullets.items()
            if not name.startswith(END) or not _is_renamed(name, target)
        }
        if remaining != row.written.bullets:
            written = replace(row.written, bullets=remaining)
            unit.document_states.put(replace(row, written=written), space.now())


def _is_renamed(end: str, target: ErasureTarget) -> bool:
    """``end:SESSION:TIME``, and a time has colons too."""
    parts = end.removeprefix(END).split(":")
    names = (":".join(parts[:n]) for n in range(1, len(parts)))
    return any(target.renamed("session", name) != name for name in names)


def _scrub_notes(space: Space, folder: Folder, target: ErasureTarget) -> None:
    text = folder.text(folder.notes)
    pieces = list(notes.blocks(text))
    with space.read() as unit:
        row = unit.document_states.get(state_name(folder.notes))
        became = row.written.bullets if row is not None and row.written is not None else {}
        existing = {memory.id for memory in unit.memories.by_id([*filter(None, became.values())])}

    def goes(note: Note) -> bool:
        memory = became.get(note.id, "")
        if memory in target.memories or memory in existing:
            return memory in target.memories
        return _quotes_target(target, note.new) if note.ours else target.repeats(note.new.text)

    judged = (
        (lines, None, None) if note is None else (lines, goes(note), _note_with(note, target))
        for lines, note in pieces
    )
    _write_remaining(folder.notes, text, judged, target)


def _note_with(note: Note, target: ErasureTarget) -> list[str] | None:
    """The lines of a statement in which a name is replaced; None where none is."""
    new = note.new
    changed = replace(
        new,
        project=target.renamed("project", new.project or ""),
        topic=target.renamed("topic", new.topic or ""),
        predicate=target.renamed("predicate", new.predicate),
        tags=[*filter(None, (target.renamed("tag", tag) for tag in new.tags))],
    )
    after = replace(note, new=changed, operation=target.renamed("operation", note.operation))
    if not note.ours or notes.render(after) == notes.render(note):
        return None
    return notes.render(after).rstrip("\n").split("\n")


def _write_remaining(
    path: Path,
    text: str,
    pieces: Iterable[tuple[list[str], bool | None, list[str] | None]],
    target: ErasureTarget,
) -> None:
    """Write what stays of each piece; a loose line (None) is a person's or of a torn entry."""
    remaining: list[str] = []
    for lines, goes, after in pieces:
        says = target.quotes if lines[0].startswith((">", "<!--")) else target.repeats
        if not (any(map(says, lines)) if goes is None else goes):
            remaining += after or lines
    if "\n".join(remaining) != text:
        write(path, "\n".join(remaining).encode())


def _quotes_target(target: ErasureTarget, record: object) -> bool:
    """Whether any text of a record quotes the target."""
    return any(map(target.quotes, _texts(plain(record))))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)

"""Taking what was forgotten out of the files people read: bullets, lines and fingerprints."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from recollect.documents import files
from recollect.documents.files import fingerprint
from recollect.documents.library import Folders
from recollect.rules.markdown import without
from recollect.settings import Settings
from recollect.store.base import Store
from recollect.store.document_states import Written

Says = Callable[[str], bool]
_BULLET = re.compile(r"\s{0,3}[-*+•]\s")


def scrub(
    store: Store,
    space: str,
    folders: Folders,
    settings: Settings,
    *,
    memories: Collection[str],
    quotes: Says,
    repeats: Says,
    now: datetime,
) -> tuple[Path, ...]:
    """Remove the bullets of these memories, and every line that says what is forgotten.

    ``quotes`` judges lines of the engine, ``repeats`` those of a person.
    """
    ids = frozenset(memories)

    def keeps(line: str, ours: bool) -> bool:
        return not (quotes if ours or _BULLET.match(line) else repeats)(line)

    changed = tuple(
        path
        for path in files_of(folders, settings)
        if _scrub_file(path, ids, keeps, folders, settings)
    )
    with store.write(space) as unit:
        for name in settings.documents.write:
            row = unit.document_states.get(name)
            if row is None:
                continue
            path = folders.documents / getattr(settings.documents, f"{name}_file")
            after = replace(
                row,
                written=_known(row.written, ids, path if path in changed else None),
                writing=_known(row.writing, ids, None),
            )
            if after != row:
                unit.document_states.put(after, now)
        for id_ in ids:
            unit.document_states.drop_choices(id_)
    return changed


def files_of(folders: Folders, settings: Settings) -> list[Path]:
    """Every file that the engine writes for people, old parts and reports included."""
    theirs = {settings.identity.soul_file, settings.identity.agent_file}
    kept = [folders.documents, folders.reports]
    kept.append(folders.documents / settings.identity.compiled_folder)
    found = {
        path for folder in kept if folder.is_dir() for path in folder.iterdir()
        if path.suffix == ".md" and path.name not in theirs and path.is_file()
    }  # fmt: skip
    return sorted(found)


def _scrub_file(
    path: Path,
    ids: frozenset[str],
    keeps: Callable[[str, bool], bool],
    folders: Folders,
    settings: Settings,
) -> bool:
    try:
        loaded = files.load(path, settings.documents.file_bytes)
    except files.Unreadable:
        return False  # sync reports it; a person has to look at it
    text = without(loaded.text, ids)
    ours = path.parent != folders.documents  # reports and cards have no line of a person
    kept = "".join(line for line in text.splitlines(keepends=True) if keeps(line, ours))
    if kept == loaded.text:
        return False
    files.write(path, loaded.encode(kept))
    return True


def _known(state: Written | None, ids: frozenset[str], path: Path | None) -> Written | None:
    """What the file was left with, without the fingerprints of what is gone."""
    if state is None:
        return None
    bullets = {id_: mark for id_, mark in state.bullets.items() if id_ not in ids}
    file = state.file if path is None else fingerprint(path.read_bytes())
    return Written(file, bullets)

"""Backups of a whole database, and databases made from them (docs/backup.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mnemic.clock import Clock, SystemClock
from mnemic.documents.folders import folders_of
from mnemic.engine.mind import Mind
from mnemic.engine.open import find_key
from mnemic.errors import InvalidInput, MemoryOff
from mnemic.rules.checks import check_path
from mnemic.settings import Settings, load_beside
from mnemic.store.new_file import explain_errors
from mnemic.store.sqlite import backup as sqlite_backup
from mnemic.types import Backup, PageProgress, Restored


def backup(
    mind: Mind,
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    progress: PageProgress = lambda done, pages: None,
) -> Backup:
    """Copy the database of a mind, with all its spaces, to a file while others go on writing.

    Everything that was acknowledged before this call is in it. The copy is checked before it gets
    its name; with ``force`` it replaces what stands there.
    """
    if not mind.settings.memory.enabled:
        raise MemoryOff(
            "There is no database to back up while memory is switched off (memory.enabled)",
            remedy="Copy the folder of plain files, or set memory.enabled = true",
        )
    mind._services.flush()
    return mind._store.backup(_file(path), replace=force, patience=0, progress=progress)


def restore(
    path: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    force: bool = False,
    settings: Settings | None = None,
    clock: Clock | None = None,
    progress: PageProgress = lambda done, pages: None,
    key: str | bytes | None = None,
) -> Restored:
    """Make the database ``to`` from a backup, which is checked first and left as it is.

    A database that stands there is never overwritten: with ``force`` it is kept under another name,
    and so are the documents beside it that the settings name, unless somebody has it open. Jobs
    that a worker had in hand when the backup was made wait again. ``key`` opens an encrypted
    backup, as in ``mnemic.open``; the database has it then, too.
    """
    source, target = _file(path), _file(to, "to")
    if target.exists() and source.exists() and source.samefile(target):
        raise InvalidInput(f"{source} is itself the backup", remedy="Restore to another file")
    now = (clock or SystemClock()).now()
    chosen = settings or settings_beside(target)
    file_key = find_key(str(target), key, chosen)
    restored = sqlite_backup.restore(
        source, target, force=force, now=now, progress=progress, key=file_key
    )
    if not restored.aside:
        return restored
    return replace(restored, documents=_documents_aside(restored, target, chosen))


def settings_beside(
    database: Path, preset: str | None = None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """The settings that ``mnemic.open`` has for a database, unless it is given others."""
    return load_beside(database.parent, preset, overrides or {})


def _documents_aside(restored: Restored, database: Path, settings: Settings) -> tuple[str, ...]:
    """The documents show what was known later; taken for edits, that would come back. They get the
    mark of the database they belong to, and are written anew."""
    mark = Path(restored.aside).name.removeprefix(database.stem).removesuffix(database.suffix)
    moved = []
    for space in restored.spaces:
        folder = folders_of(database, space, settings).documents
        for name in settings.documents.write:
            file = folder / getattr(settings.documents, f"{name}_file")
            aside = file.with_name(f"{file.stem}{mark}{file.suffix}")
            with explain_errors(file, "kept aside"), suppress(FileNotFoundError):
                file.rename(aside)
                moved.append(str(aside))
    return tuple(moved)


def _file(path: str | os.PathLike[str], name: str = "path") -> Path:
    return Path(check_path(path, name)).expanduser().absolute()

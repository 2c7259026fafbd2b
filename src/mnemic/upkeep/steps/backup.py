"""A copy of the database for each day, of which the latest few are kept."""

from __future__ import annotations

import re
from pathlib import Path

from mnemic.days import in_zone
from mnemic.errors import Conflict
from mnemic.store.contract import Store
from mnemic.store.new_file import explain_errors, remove_unfinished
from mnemic.upkeep.work import Step

_DAY = "%Y-%m-%d"
_TIME = "-%H%M"
_DATED = r"-(\d{4}-\d\d-\d\d)-\d{4}"


def back_up(step: Step) -> None:
    """Back the database up once a day, and remove our oldest copies beyond those to keep."""
    settings, database = step.settings.backup, step.tools.database
    if step.dry_run or database is None or not settings.folder:
        return
    folder = database.parent / Path(settings.folder).expanduser()
    moment = in_zone(step.now, step.zone)
    today = moment.strftime(_DAY)
    if any(
        day == today and step.store.is_backup(copy) for copy, day in _list_dated(folder, database)
    ):
        return
    target = folder / f"{database.stem}-{today}{moment.strftime(_TIME)}{database.suffix}"
    patience = step.settings.store.busy_timeout.total_seconds()
    try:
        step.store.backup(target, replace=False, patience=patience, progress=lambda done, of: None)
    except Conflict:
        if not step.store.is_backup(target):
            raise
        return  # another process was first
    step.did(written=1)
    if removed := _rotate(step.store, folder, database, target, settings.keep):
        step.did(removed=removed)


def _rotate(store: Store, folder: Path, database: Path, latest: Path, keep: int) -> int:
    """The new copy was checked just now, so it is the one that always stays."""
    copies = [copy for copy, _ in _list_dated(folder, database) if copy != latest]
    backups = [copy for copy in copies if store.is_backup(copy)]
    outdated = backups[: max(0, len(backups) + 1 - keep)]
    for copy in outdated:
        with explain_errors(copy, "removed"):
            copy.unlink(missing_ok=True)
    remove_unfinished(folder, lambda name: _day(name, database) != "")
    return len(outdated)


def _list_dated(folder: Path, database: Path) -> list[tuple[Path, str]]:
    """Files that are named like a copy, the oldest first, each with its day."""
    if not folder.is_dir():
        return []
    dated = [(file, _day(file.name, database)) for file in sorted(folder.iterdir())]
    return [(file, day) for file, day in dated if day and file.is_file() and not file.is_symlink()]


def _day(name: str, database: Path) -> str:
    pattern = re.escape(database.stem) + _DATED + re.escape(database.suffix)
    match = re.fullmatch(pattern, name)
    return match[1] if match else ""

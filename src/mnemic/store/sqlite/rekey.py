"""A database written anew under another key, or under none, and put in the place of the old one.

It is whole under its name at every moment: the new file is written beside it, checked and made
durable, and then renamed. Nobody else has the database open meanwhile.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import apsw

from mnemic.errors import NotFound
from mnemic.store.new_file import UnfinishedFile, sync_folder, typed
from mnemic.store.sqlite import backup, migrate
from mnemic.store.sqlite.connection import explain
from mnemic.store.sqlite.keys import CIPHER, FileKey, check_key
from mnemic.types import Backup

_CHUNK = 1 << 20


def rewrite(file: Path, old: FileKey | None, new: FileKey | None) -> Backup:
    """Give a database another key; what it holds now, after it was checked."""
    check_key(str(file), old)
    if not migrate.inspect(str(file), old):
        raise NotFound(f"There is no memory at {file}", remedy="Give the path of a database")
    with UnfinishedFile(file) as unfinished, backup.alone(file, old) as conn:
        assert conn is not None  # it was looked at before
        secret = new.for_file(str(unfinished.path)) if new else ""
        name = f"file:{quote(str(unfinished.path))}?cipher={CIPHER}&key={secret}"
        try:
            conn.execute("VACUUM INTO ?", (name,))
        except apsw.Error as error:
            raise explain(error, str(file)) from error
        copy = backup.examined(unfinished.path, file, new)
        backup.compare_counts(copy, backup.count_rows(conn))
        with typed(file, "replaced"), file.open("r+b") as former:
            unfinished.put(replace=True)
            if old is None:
                _overwrite(former.fileno())
            sync_folder(file.parent)
    return copy


def _overwrite(handle: int) -> None:
    """Zeroes over the plain pages, unless the file has another name that somebody wants."""
    status = os.fstat(handle)
    if status.st_nlink:
        return
    for start in range(0, status.st_size, _CHUNK):
        os.lseek(handle, start, os.SEEK_SET)
        os.write(handle, bytes(min(_CHUNK, status.st_size - start)))
    os.fsync(handle)

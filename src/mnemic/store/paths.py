"""Names as file names, and files that are nobody else's: no name leads out of its folder, no two
names lead to one file, and no symbolic link is followed below the folder of a memory.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
from pathlib import Path

from mnemic import private
from mnemic.errors import StoreUnavailable

USUAL_NAME = "memory.db"  # what a database is called when nobody names it
_UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)
_LONGEST = 80
_DIGEST = 16  # bytes: nobody finds two names with the same one
_OWNER = ".database"  # the file in a folder that names its database
_LONGEST_OWNER = 1_000
_APART = "~"  # before the digest; no name that is kept as it is has one
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")


def safe_name(name: str, *, ending: str = "") -> str:
    """A file name that any system takes, another one for each name; ``ending`` stands after it.

    A plain name in lower case stays as it is. Any other is shortened and told apart by a digest:
    some disks take Foo and foo for one name, and some systems keep names for themselves.
    """
    plain = _UNSAFE.sub("_", name)[:_LONGEST]
    if plain == name.lower() == name and not _is_special(name):
        return plain + ending
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()
    return f"{plain.strip('.')[:40]}{_APART}{digest}{ending}"


def own_base(database: Path, folder: str) -> Path:
    """Where the folder of a memory begins to be its own: a plain name lies beside the database;
    any other place was chosen by somebody, with whatever links lead there."""
    return database.parent if Path(folder).name == folder else database.parent / folder


def own_folder(database: Path, folder: str) -> Path:
    """A folder beside the database; where another database there has it, one of its own name."""
    place, other = possible_folders(database, folder)
    owner = "" if Path(folder).is_absolute() else _owner(place)
    return place if owner in ("", database.name) else other


def possible_folders(database: Path, folder: str) -> tuple[Path, Path]:
    """The folder by its name, and the one where another database has that."""
    place = database.parent / Path(folder).expanduser()
    return place, place.with_name(f"{database.stem}-{place.name}")


def claim_folder(database: Path, folder: str) -> None:
    """Claim a folder for this database; a full or closed disk is no hindrance."""
    place = own_folder(database, folder)
    if Path(folder).is_absolute() or _owner(place) == database.name:
        return
    with contextlib.suppress(OSError, StoreUnavailable):
        refuse_links(place, database.parent)
        private.make_folder(place)
        with open(place / _OWNER, "x", encoding="utf-8", opener=open_own) as file:
            file.write(f"{database.name}\n")


def _owner(place: Path) -> str:
    """The file name of the database that a folder belongs to; empty where none has claimed it."""
    try:
        with open(place / _OWNER, encoding="utf-8", opener=open_own) as file:
            return Path(file.read(_LONGEST_OWNER).strip()).name
    except (OSError, UnicodeError):
        return ""


def refuse_links(path: Path, base: Path) -> None:
    """StoreUnavailable if ``path``, or a folder between it and ``base``, is a symbolic link."""
    places = (place for place in (path, *path.parents) if place != base)
    inside = [place for place in places if place.is_relative_to(base)]
    for place in reversed(inside or [path]):
        if place.is_symlink():
            raise link_error(place)


def link_error(path: Path) -> StoreUnavailable:
    """The error for a symbolic link in the place of a file or folder of ours."""
    return StoreUnavailable(
        f"{path} is a symbolic link, and links are not followed",
        remedy="Put the file or folder itself in its place, or name the other place in the"
        " settings",
    )


def is_link_error(error: OSError) -> bool:
    """Whether the system refused to follow a link, or went round in circles."""
    return error.errno in (errno.ELOOP, errno.EMLINK)


def open_own(path: str, flags: int) -> int:
    """An opener for ``open``: follows no link, and a new file is for its owner alone."""
    return private.opener(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _is_special(name: str) -> bool:
    return (
        not name.strip(".")
        or name[0] in ".-"
        or name[-1] == "."
        or name.endswith((".jsonl", ".md"))
        or _RESERVED.fullmatch(name) is not None
    )

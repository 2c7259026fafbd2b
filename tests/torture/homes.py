"""Where the memories of a scenario live: in files, or in databases of a server."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import mnemic
from mnemic import Mind
from mnemic.store.postgres.address import is_address
from mnemic.store.target import FILES
from tests.postgres.server import drop_database, new_database

StoreName = Literal["sqlite", "postgres"]
STORES: tuple[StoreName, ...] = get_args(StoreName)
_numbers = count()


@dataclass(frozen=True, slots=True)
class Home:
    """One memory, with a folder of its own; a child is given it as it is."""

    target: str
    folder: Path

    @property
    def on_server(self) -> bool:
        return is_address(self.target)

    def open(self, **given: Any) -> Mind:
        """Without a worker unless one is asked for."""
        return mnemic.open(self.enter(), **{"worker": "none", **given})

    def enter(self) -> str:
        """The target, after what a server's memory keeps in files is kept in the folder."""
        os.environ[FILES] = str(self.folder)
        return self.target


class Homes:
    """Makes homes on one kind of store, each with a name and nothing else."""

    def __init__(self, folder: Path, store: StoreName) -> None:
        self.store = store
        self._folder = folder

    def new(self, name: str) -> Home:
        (self._folder / name).mkdir()
        return self._at(name, "")

    def copy(self, home: Home, name: str) -> Home:
        """A second one with all that is in the first, which nobody has open."""
        shutil.copytree(home.folder, self._folder / name)
        return self._at(name, _database(home) if home.on_server else "")

    def remove(self, home: Home) -> None:
        shutil.rmtree(home.folder)
        if home.on_server:
            drop_database(_database(home))

    def _at(self, name: str, template: str) -> Home:
        folder = self._folder / name
        if self.store == "sqlite":
            return Home(str(folder / "memory.db"), folder)
        return Home(new_database(f"torture_{os.getpid()}_{next(_numbers)}", template), folder)


def _database(home: Home) -> str:
    return urlsplit(home.target).path[1:]

"""A person at a desk: a mind, its documents, and an editor for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.documents.folders import Folders, folders_of
from mnemic.documents.library import Documents
from mnemic.documents.report import DocumentReport, SyncReport
from mnemic.learn.advice import Adviser
from mnemic.learn.pending import PendingQueue
from mnemic.learn.reconciler import Reconciler
from mnemic.space import Space
from mnemic.store.rows import MemoryFilter
from mnemic.types import Memory, MemoryStatus

MARK = re.compile(r" <!--m:([0-9a-f-]{36})-->")


@dataclass
class Desk:
    """The documents of a mind, and what a person does to them."""

    mind: Mind
    clock: ManualClock
    home: Path
    folders: Folders = field(init=False)
    documents: Documents = field(init=False)
    inbox: PendingQueue = field(init=False)

    def __post_init__(self) -> None:
        mind, settings = self.mind, self.mind.settings
        self.folders = folders_of(self.home / "memory.db", mind.space, settings)
        space = Space.of(mind._store, mind.space, self.clock, settings)
        reconciler = Reconciler(space, Adviser(space, None, None))
        self.inbox = PendingQueue(space, reconciler)
        self.documents = Documents(
            space,
            self.folders,
            keeper=mind._services.memories,
            reconciler=reconciler,
        )

    def sync(self) -> SyncReport:
        return self.documents.sync()

    def of(self, name: str) -> DocumentReport:
        """What a sync does to one document."""
        (found,) = [report for report in self.sync().documents if report.name == name]
        return found

    def path(self, name: str) -> Path:
        file: str = getattr(self.mind.settings.documents, f"{name}_file")
        return self.folders.documents / file

    def text(self, name: str) -> str:
        return self.path(name).read_bytes().decode()

    def write(self, name: str, text: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(text.encode())

    def replace(self, name: str, old: str, new: str) -> None:
        text = self.text(name)
        assert old in text, f"{old!r} is not in\n{text}"
        self.write(name, text.replace(old, new, 1))

    def delete_line(self, name: str, words: str) -> None:
        lines = self.text(name).split("\n")
        (found,) = [line for line in lines if words in line]
        lines.remove(found)
        self.write(name, "\n".join(lines))

    def line(self, name: str, words: str) -> str:
        return next(line for line in self.text(name).split("\n") if words in line)

    def bullets(self, name: str) -> list[str]:
        """What the bullets of ours say, in order."""
        lines = self.text(name).split("\n")
        return [MARK.sub("", line).removeprefix("- ") for line in lines if MARK.search(line)]

    def remember(self, text: str, **fields: Any) -> Memory:
        return self.mind.get(self.mind.remember(text, **{"kind": "fact", **fields}).id)

    def current(self) -> list[str]:
        return [memory.text for memory in self.mind.memories(limit=100_000)]

    def all(self, status: MemoryStatus | None = None) -> list[Memory]:
        with self.mind._store.read(self.mind.space) as unit:
            return unit.memories.find(MemoryFilter(status=status, limit=100_000))

"""What a person did to a document since it was written: every bullet is judged, none is skipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.documents.files import fingerprint
from recollect.documents.headings import EARLIER, USUAL, DocumentSection
from recollect.documents.layout import TITLE, DocumentLayout
from recollect.documents.selection import undated
from recollect.documents.views import View
from recollect.language.markdown import (
    GENERATED,
    Bullet,
    Free,
    MarkdownSection,
    marks_in,
)
from recollect.store.contract import Unit
from recollect.store.document_states import Written
from recollect.types import Memory


@dataclass(frozen=True, slots=True)
class Stay:
    """As we wrote it, or moved: it stays in its place, with what its memory says now."""

    mark: str


@dataclass(frozen=True, slots=True)
class Own:
    """A person's own, to be kept as it is; ``bullet`` carries no mark."""

    bullet: Bullet


@dataclass(frozen=True, slots=True)
class Edited:
    """Other words for a memory. ``head`` is its present version when memory changed too."""

    memory: Memory
    head: Memory | None
    text: str


@dataclass(frozen=True, slots=True)
class Added:
    """A new statement, for a section, or in the place of a memory that is no longer current."""

    text: str
    section: DocumentSection
    like: Memory | None = None


@dataclass(frozen=True, slots=True)
class RemovedBullet:
    """Nothing is left to show: an emptied bullet, or a copy of another."""


Change = Stay | Own | Edited | Added | RemovedBullet


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A document against what was written: one change for each bullet, in order.

    ``seen`` are the ids still in the file, ``removed`` those a person took out, ``moved_in`` those
    that were not in it when it was written.
    """

    parts: tuple[MarkdownSection, ...]
    changes: tuple[Change, ...]
    seen: frozenset[str]
    removed: frozenset[str]
    moved_in: frozenset[str]


class BulletReader:
    """Judges the bullets of one document."""

    def __init__(
        self,
        unit: Unit,
        view: View,
        layout: DocumentLayout,
        sections: Iterable[DocumentSection],
        bases: Sequence[Written],
    ) -> None:
        self._unit = unit
        self._view = view
        self._layout = layout
        self._sections = {section.key: section for section in sections}
        self._bases = bases
        self._before = [frozenset(base.bullets) - {GENERATED} for base in bases]

    def read(self, text: str, parts: tuple[MarkdownSection, ...]) -> ReadBack:
        """Compare the file with what was written and with what is known."""
        found = [(part, item) for part in parts for item in part.items if isinstance(item, Bullet)]
        marks = self._restored([bullet for _, bullet in found])
        known = self._known(marks)
        first = self._representatives([bullet for _, bullet in found], marks, known)
        changes = [
            self._change(part, bullet, known.get(mark), shown=first.get(mark) == number)
            if bullet.mark != GENERATED
            else self._generated(bullet)
            for number, ((part, bullet), mark) in enumerate(zip(found, marks, strict=True))
        ]
        told = {mark for (_, b), mark in zip(found, marks, strict=True) if mark and b.text}
        emptied = {b.mark for _, b in found if not b.text} - told
        seen = frozenset(told | (marks_in(text) - emptied))
        written = frozenset[str]().union(*self._before)
        always = self._before[0].intersection(*self._before[1:]) if self._before else frozenset()
        return ReadBack(
            parts,
            tuple(changes),
            seen,
            removed=frozenset(always - seen),
            moved_in=frozenset(told & known.keys()) - written if self._bases else frozenset(),
        )

    def _restored(self, bullets: Sequence[Bullet]) -> list[str]:
        """The mark of each bullet; one that lost its comment is known by its words."""
        there = {bullet.mark for bullet in bullets}
        lost = {
            print_: id_
            for base in self._bases
            for id_, print_ in base.bullets.items()
            if id_ not in there
        }
        return [bullet.mark or lost.pop(fingerprint(bullet.text), "") for bullet in bullets]

    def _known(self, marks: Iterable[str]) -> dict[str, Memory]:
        found = self._unit.memories.by_id([mark for mark in set(marks) if mark])
        return {m.id: m for m in found if m.kind != "credential" and m.status != "pending"}

    def _representatives(
        self, bullets: Sequence[Bullet], marks: Sequence[str], known: Mapping[str, Memory]
    ) -> dict[str, int]:
        """Of several bullets with one mark, the first that nobody edited stands for the memory."""
        first: dict[str, int] = {}
        as_written: set[str] = set()
        for number, (bullet, mark) in enumerate(zip(bullets, marks, strict=True)):
            if mark not in known or not bullet.text:
                continue
            untouched = self._untouched(bullet.text, known[mark])
            if mark not in first or (untouched and mark not in as_written):
                first[mark] = number
            if untouched:
                as_written.add(mark)
        return first

    def _untouched(self, text: str, memory: Memory) -> bool:
        print_ = fingerprint(text)
        return any(base.bullets.get(memory.id) == print_ for base in self._bases) or (
            text in self._view.spellings(memory)
        )

    def _generated(self, bullet: Bullet) -> Change:
        print_ = fingerprint(bullet.text)
        if any(base.bullets.get(GENERATED) == print_ for base in self._bases):
            return Stay(GENERATED)
        return self._own(bullet) if bullet.text else RemovedBullet()

    def _change(
        self, part: MarkdownSection, bullet: Bullet, memory: Memory | None, *, shown: bool
    ) -> Change:
        if not bullet.text:
            return RemovedBullet()
        if memory is None:
            return self._new(part, bullet)
        untouched = self._untouched(bullet.text, memory)
        if not shown:
            return RemovedBullet() if untouched else self._new(part, bullet)
        head = memory if memory.status == "active" else self._head(memory)
        if untouched:
            written = any(memory.id in before for before in self._before)
            if head is None and not written:  # brought back from an older file
                return Added(undated(bullet.text, memory), self._section(part), memory)
            return Stay(memory.id if head is None else head.id)
        text = undated(bullet.text, memory)
        if head is None:
            return Added(text, self._section(part), memory)
        if head.id != memory.id and bullet.text in self._view.spellings(head):
            return Stay(head.id)
        return Edited(memory, head if head.id != memory.id else None, text)

    def _new(self, part: MarkdownSection, bullet: Bullet) -> Change:
        """New below a heading of ours; below a person's own heading it is their text."""
        key = self._layout.section_of(part)
        if key in ("", EARLIER):
            return self._own(bullet)
        return Added(bullet.text, self._section(part))

    def _section(self, part: MarkdownSection) -> DocumentSection:
        key = self._layout.section_of(part)
        usual = self._sections[USUAL[self._view.name]]
        return usual if key in ("", TITLE, EARLIER) else self._sections[key]

    def _head(self, memory: Memory) -> Memory | None:
        return head_of(self._unit, memory.id)

    @staticmethod
    def _own(bullet: Bullet) -> Own:
        return Own(bullet if not bullet.mark else unmarked(bullet.text))


def unmarked(text: str) -> Bullet:
    """A bullet that stays in the file only."""
    first, *rest = text.split("\n")
    return Bullet(text, "", (f"- {first}", *(f"  {line}" for line in rest)))


def head_of(unit: Unit, id_: str) -> Memory | None:
    """The current version of a memory, if one is."""
    versions = unit.memories.chain(id_)
    return next((m for m in reversed(versions) if m.status == "active"), None)


def rebuilt(read: ReadBack, items: Iterable[Bullet | None]) -> tuple[MarkdownSection, ...]:
    """The parts with each bullet replaced by what became of it."""
    following = iter(items)
    parts = []
    for part in read.parts:
        kept: list[Free | Bullet] = []
        for item in part.items:
            after = item if isinstance(item, Free) else next(following)
            if after is not None:
                kept.append(after)
        parts.append(MarkdownSection(part.heading, tuple(kept)))
    return tuple(parts)

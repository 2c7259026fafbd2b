"""The edits of a person since a document was written: every bullet is classified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mnemic.documents.files import fingerprint
from mnemic.documents.headings import EARLIER, DocumentSection, usual_section
from mnemic.documents.layout import TITLE, DocumentLayout
from mnemic.documents.selection import strip_date
from mnemic.documents.views import View
from mnemic.language.markdown import GENERATED, Bullet, Free, MarkdownSection, marks_in
from mnemic.language.placeholders import is_placeholder
from mnemic.late import dataclass
from mnemic.store.contract import Unit
from mnemic.store.rows import Written
from mnemic.types import Memory


@dataclass(frozen=True, slots=True)
class EditedBullet:
    """A new text for a memory. ``head`` is its present version when memory changed too."""

    memory: Memory
    head: Memory | None
    text: str


@dataclass(frozen=True, slots=True)
class AddedBullet:
    """A new statement, for a section, or in the place of a memory that is no longer current."""

    text: str
    section: DocumentSection
    like: Memory | None = None


# A bullet without an edit is what stands in its place: with a mark, its memory's present text; a
# person's own text as it is; nothing for an emptied bullet, or a copy of another.
Change = EditedBullet | AddedBullet | Bullet | None


@dataclass(frozen=True, slots=True)
class DocumentEdits:
    """A document against what was written: one change for each bullet, in order.

    ``removed`` are the ids that a person took out, ``moved_in`` those that were not in it when it
    was written, ``put_back`` these and those of a file whose written state is not known.
    """

    parts: tuple[MarkdownSection, ...] = ()
    changes: tuple[Change, ...] = ()
    removed: frozenset[str] = frozenset()
    moved_in: frozenset[str] = frozenset()
    put_back: frozenset[str] = frozenset()

    def apply(self, items: Iterable[Bullet | None]) -> tuple[MarkdownSection, ...]:
        """The parts with what stands in the place of each bullet."""
        following = iter(items)
        sections = []
        for section in self.parts:
            after = [item if isinstance(item, Free) else next(following) for item in section.items]
            sections.append(MarkdownSection(section.heading, tuple(filter(None, after))))
        return tuple(sections)


@dataclass(frozen=True, slots=True)
class BulletReader:
    """Classifies the bullets of one document; ``bases`` are the states it was written in."""

    unit: Unit
    view: View
    layout: DocumentLayout
    sections: Mapping[str, DocumentSection]
    bases: Sequence[Written]

    def read(self, text: str, parts: tuple[MarkdownSection, ...]) -> DocumentEdits:
        """Compare the file with the written state and with memory."""
        bullets = [
            (section, item)
            for section in parts
            for item in section.items
            if isinstance(item, Bullet)
        ]
        marks = self._restore_marks([bullet for _, bullet in bullets])
        marked = self.unit.memories.by_id([mark for mark in set(marks) if mark])
        usable = (m for m in marked if m.kind != "credential" and m.status != "pending")
        memories: dict[str, Memory] = {m.id: m for m in usable}
        first = self._representatives([bullet for _, bullet in bullets], marks, memories)
        changes = [
            self._change(section, bullet, memories.get(mark), first=first.get(mark) == number)
            if bullet.mark != GENERATED
            else self._read_generated(bullet)
            for number, ((section, bullet), mark) in enumerate(zip(bullets, marks, strict=True))
        ]
        present = {mark for (_, b), mark in zip(bullets, marks, strict=True) if mark and b.text}
        emptied = {b.mark for _, b in bullets if not b.text} - present
        seen = frozenset(present | (marks_in(text) - emptied))
        before = [frozenset(base.bullets) - {GENERATED} for base in self.bases]
        written = frozenset[str]().union(*before)
        always = before[0].intersection(*before[1:]) if before else frozenset()
        return DocumentEdits(
            parts,
            tuple(changes),
            removed=frozenset(always - seen),
            moved_in=frozenset(present & memories.keys()) - written if self.bases else frozenset(),
            put_back=seen - written,
        )

    def _restore_marks(self, bullets: Sequence[Bullet]) -> list[str]:
        """The mark of each bullet; one that lost its comment is recognized by its text."""
        present = {bullet.mark for bullet in bullets}
        lost = {
            print_: id_
            for base in self.bases
            for id_, print_ in base.bullets.items()
            if id_ not in present
        }
        return [bullet.mark or lost.pop(fingerprint(bullet.text), "") for bullet in bullets]

    def _representatives(
        self, bullets: Sequence[Bullet], marks: Sequence[str], memories: Mapping[str, Memory]
    ) -> dict[str, int]:
        """Of several bullets with one mark, the first that nobody edited stands for the memory."""
        first: dict[str, int] = {}
        as_written: set[str] = set()
        for number, (bullet, mark) in enumerate(zip(bullets, marks, strict=True)):
            if mark not in memories or not bullet.text:
                continue
            untouched = self._is_untouched(bullet.text, memories[mark])
            if mark not in first or (untouched and mark not in as_written):
                first[mark] = number
            if untouched:
                as_written.add(mark)
        return first

    def _is_untouched(self, text: str, memory: Memory) -> bool:
        print_ = fingerprint(text)
        return any(base.bullets.get(memory.id) == print_ for base in self.bases) or (
            text in self.view.spellings(memory)
        )

    def _read_generated(self, bullet: Bullet) -> Change:
        print_ = fingerprint(bullet.text)
        if any(base.bullets.get(GENERATED) == print_ for base in self.bases):
            return Bullet("", GENERATED)
        return make_bullet(bullet.text) if bullet.text else None

    def _change(
        self, section: MarkdownSection, bullet: Bullet, memory: Memory | None, *, first: bool
    ) -> Change:
        if not bullet.text:
            return None
        untouched = memory is not None and self._is_untouched(bullet.text, memory)
        if memory is None or (is_placeholder(bullet.text) and not untouched):
            return self._new(section, bullet)
        if not first:
            return None if untouched else self._new(section, bullet)
        head = memory if memory.status == "active" else head_of(self.unit, memory.id)
        text = strip_date(bullet.text, memory, self.view.zone)
        if untouched:
            written = any(memory.id in base.bullets for base in self.bases)
            if head is None and not written:  # brought back from an older file
                return AddedBullet(text, self._find_section(section), memory)
            return Bullet("", memory.id if head is None else head.id)
        if head is None:
            return AddedBullet(text, self._find_section(section), memory)
        if head.id != memory.id and bullet.text in self.view.spellings(head):
            return Bullet("", head.id)
        return EditedBullet(memory, head if head.id != memory.id else None, text)

    def _new(self, section: MarkdownSection, bullet: Bullet) -> Change:
        """New below a heading of ours; below a person's own heading it is their text."""
        key = self.layout.section_of(section)
        if key in ("", EARLIER) or is_placeholder(bullet.text):
            return make_bullet(bullet.text) if bullet.mark else bullet
        return AddedBullet(bullet.text, self._find_section(section))

    def _find_section(self, section: MarkdownSection) -> DocumentSection:
        key = self.layout.section_of(section)
        usual = self.sections[usual_section(self.view.name)]
        return usual if key in ("", TITLE, EARLIER) else self.sections[key]


def make_bullet(text: str) -> Bullet:
    """A bullet that stays in the file only."""
    first, *rest = text.split("\n")
    return Bullet(text, "", (f"- {first}", *(f"  {line}" for line in rest)))


def head_of(unit: Unit, id_: str) -> Memory | None:
    """The current version of a memory, if one is."""
    return next((m for m in reversed(unit.memories.chain(id_)) if m.status == "active"), None)

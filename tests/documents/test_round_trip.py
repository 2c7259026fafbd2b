"""Random edits by a person between random changes of memory: nothing is lost."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mnemic
from mnemic.clock import ManualClock
from mnemic.language.markdown import tidy
from mnemic.store.rows import DocumentRow
from mnemic.types import Kind, constant
from tests.conftest import NOON
from tests.documents.desk import MARK, Desk

NAMES = ("memory", "user", "project", "insights", "persona")
KINDS: tuple[Kind, ...] = ("fact", "preference", "decision", "skill", "trait", "identity", "config")
WORDS = ("tea", "雨天", "lamp", "# sharp", "- dash", "<!--", "-->", "两行\nlines", "*", "`x`", "1.")

pytestmark = [pytest.mark.feature("N5"), pytest.mark.feature("V6")]


@dataclass
class Story:
    """A person and a memory that share documents, and what may not be lost."""

    desk: Desk
    number: int = 0
    bullets: list[str] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)

    def words(self, pick: int) -> str:
        """Something nobody has said yet."""
        self.number += 1
        return f"{WORDS[pick % len(WORDS)]} zq{self.number} {WORDS[pick // 7 % len(WORDS)]}"

    # --- what memory does -----------------------------------------------------------------------

    def remember(self, pick: int) -> None:
        project = ("_global", "alpha", "贝塔")[pick % 3]
        self.desk.remember(
            self.words(pick),
            kind=KINDS[pick % len(KINDS)],
            project=project,
            subject="user" if pick % 2 else "",
            importance=(pick % 10) / 10,
            trust=("owner", "agent", "tool")[pick % 11 % 3],
        )

    def revise(self, pick: int) -> None:
        known = self.desk.all("active")
        if known:
            old = known[pick % len(known)]
            self.desk.remember(
                self.words(pick), kind=old.kind, project=old.project, supersedes=old.id
            )

    def archive(self, pick: int) -> None:
        known = self.desk.all("active")
        if known:
            with self.desk.mind._store.write("default") as unit:
                unit.memories.revise(replace(known[pick % len(known)], status="archived"))

    def wait(self, pick: int) -> None:
        self.desk.clock.advance(hours=pick % 500)

    # --- what a person does ---------------------------------------------------------------------

    def _lines(self, pick: int) -> tuple[str, list[str]]:
        name = NAMES[pick % len(NAMES)]
        path = self.desk.path(name)
        return name, self.desk.text(name).split("\n") if path.exists() else []

    def _ours(self, pick: int) -> tuple[str, list[str], int | None]:
        name, lines = self._lines(pick)
        places = [n for n, line in enumerate(lines) if MARK.search(line)]
        return name, lines, places[pick // 5 % len(places)] if places else None

    def _overwrite(self, line: str) -> None:
        """What a person wrote and takes away before anybody read it is theirs to lose."""
        gone = MARK.sub("", line).strip().removeprefix("- ")
        self.bullets = [text for text in self.bullets if tidy(text) != gone]

    def edit(self, pick: int) -> None:
        name, lines, place = self._ours(pick)
        if place is not None:
            self._overwrite(lines[place])
            text = self.words(pick).replace("\n", " ")
            mark = MARK.search(lines[place])
            assert mark is not None
            lines[place] = f"- {text}{mark[0]}"
            self.bullets.append(text)
            self.desk.write(name, "\n".join(lines))

    def add(self, pick: int) -> None:
        name, lines = self._lines(pick)
        headings = [n for n, line in enumerate(lines) if line.startswith("#")]
        text = self.words(pick).replace("\n", " ")
        place = headings[pick // 5 % len(headings)] + 1 if headings else 0
        lines[place:place] = ["", f"* {text}", ""]
        self.bullets.append(text)
        self.desk.write(name, "\n".join(lines))

    def delete(self, pick: int) -> None:
        name, lines, place = self._ours(pick)
        if place is not None:
            mark = MARK.search(lines[place])
            assert mark is not None
            self.deleted.add(mark[1])
            self._overwrite(lines[place])
            del lines[place]
            while place < len(lines) and lines[place].startswith("  "):
                del lines[place]
            self.desk.write(name, "\n".join(lines))

    def move(self, pick: int) -> None:
        name, lines, place = self._ours(pick)
        if place is not None and not lines[place + 1 :][:1][0].startswith("  "):
            line = lines.pop(place)
            lines.insert(pick // 3 % (len(lines) + 1), line)
            self.desk.write(name, "\n".join(lines))

    def copy(self, pick: int) -> None:
        _, _, place = self._ours(pick)
        if place is not None:
            _, lines, _ = self._ours(pick)
            other, theirs = self._lines(pick // 11)
            self.desk.write(other, "\n".join([*theirs, lines[place], ""]))

    def strip_mark(self, pick: int) -> None:
        name, lines, place = self._ours(pick)
        if place is not None:
            lines[place] = MARK.sub(("", " <!--m:12-->", " <!--m:")[pick % 3], lines[place])
            self.desk.write(name, "\n".join(lines))

    def note(self, pick: int) -> None:
        name, lines = self._lines(pick)
        self.number += 1
        note = f"note {self.number} 随笔 {WORDS[pick % 4]}"
        lines.insert(pick // 5 % (len(lines) + 1), note)
        self.notes.setdefault(name, []).append(note)
        self.desk.write(name, "\n".join(lines))

    def own_section(self, pick: int) -> None:
        name, lines = self._lines(pick)
        self.number += 1
        note = f"- [ ] own {self.number}"
        self.notes.setdefault(name, []).append(note)
        self.desk.write(name, "\n".join([*lines, f"## Mine {self.number}", "", note, ""]))

    def windows(self, pick: int) -> None:
        name, lines = self._lines(pick)
        if lines:
            text = "\n".join(lines).replace("\r\n", "\n").replace("\n", "\r\n")
            self.desk.write(name, "\ufeff" + text.lstrip("\ufeff"))

    def drop_file(self, pick: int) -> None:
        name, lines = self._lines(pick)
        if lines:
            self.desk.sync()
            self.desk.path(name).unlink()
            self.notes.pop(name, None)
            self.bullets = [text for text in self.bullets if self._there(text)]

    # --- together -------------------------------------------------------------------------------

    def sync(self, _: int) -> None:
        before: set[str] = {memory.id for memory in self.desk.all("active")}
        report = self.desk.sync()
        after = {memory.id for memory in self.desk.all("active")}
        replaced = {taken.before for document in report.documents for taken in document.taken}
        assert before <= after | replaced, "a memory that nobody touched is still current"
        asked = {asked.memory for document in report.documents for asked in document.asked}
        pending = {memory.id for memory in self.desk.all("pending")}
        assert asked <= self.deleted | pending | replaced | self._removed(before), "asked for cause"
        for document in report.documents:
            self._within_limits(document.name, document.over)
        self.nothing_lost()
        again = self.desk.sync()
        assert not again.changed, "once is enough"

    def _removed(self, before: set[str]) -> set[str]:
        """Bullets that vanished because a person broke them in other ways are asked about too."""
        shown = "\n".join(self.desk.text(n) for n in NAMES if self.desk.path(n).exists())
        return {id_ for id_ in before if id_ not in shown}

    def crash(self, _: int) -> None:
        """Die after the file was replaced, before that was noted."""
        store = self.desk.mind._store
        with store.read("default") as unit:
            old = {name: unit.document_states.get(name) for name in NAMES}
        self.sync(0)
        with store.write("default") as unit:
            for name, row in old.items():
                new = unit.document_states.get(name)
                if row is not None and new is not None and new.rolled_through == row.rolled_through:
                    torn = DocumentRow(constant(name), row.written, new.written, row.rolled_through)
                    unit.document_states.put(torn, NOON)

    def _there(self, text: str) -> bool:
        """In the database, or in a file."""
        known = {tidy(memory.text) for memory in self.desk.all()}
        files = [self.desk.text(n) for n in NAMES if self.desk.path(n).exists()]
        return tidy(text) in known or any(tidy(text) in file for file in files)

    def nothing_lost(self) -> None:
        for text in self.bullets:
            assert self._there(text), text
        for name, notes in self.notes.items():
            for note in notes:
                assert note in self.desk.text(name), f"{note} in {name}"

    def _within_limits(self, name: str, over: int) -> None:
        text, limits = self.desk.text(name), self.desk.mind.settings.documents
        if over:
            return
        if name == "memory":
            assert len(re.sub(" ?<!--m:[^>]*-->", "", text)) <= limits.memory_chars, "as it is read"
        elif name == "user":
            assert len(text.encode()) <= limits.user_bytes
        elif name == "project":
            assert text.count("\n") <= limits.project_lines


MOVES: tuple[Callable[[Story, int], None], ...] = (
    Story.remember, Story.revise, Story.archive, Story.wait,
    Story.edit, Story.add, Story.delete, Story.move, Story.copy, Story.strip_mark,
    Story.note, Story.own_section, Story.windows, Story.drop_file,
    Story.sync, Story.crash,
)  # fmt: skip
STEPS = st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 10_000)), min_size=1, max_size=25)


@settings(max_examples=40)
@given(STEPS, st.sampled_from([{}, {"memory_chars": 400, "user_bytes": 500, "project_lines": 12}]))
@example([(Story.remember, 1), (Story.sync, 0), (Story.crash, 0), (Story.delete, 0)], {})
def test_random_edits_and_random_changes_lose_nothing(
    steps: list[tuple[Callable[[Story, int], None], int]], limits: dict[str, int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = ManualClock(NOON)
        documents = {"write": list(NAMES), **limits}
        file = Path(folder) / "memory.db"
        with mnemic.open(file, clock=clock, worker="none", documents=documents) as mind:
            story = Story(Desk(mind, clock, Path(folder)))
            for pick in (1, 2, 5, 8, 13):
                story.remember(pick)
            story.sync(0)
            for step, pick in steps:
                step(story, pick)
            story.sync(0)

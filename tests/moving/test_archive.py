"""The JSONL archive: out and in again is the same memory, and whatever is wrong is said."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.errors import InvalidInput
from mnemic.moving.archive import ArchiveImport, export_jsonl, import_jsonl
from mnemic.moving.copy import copy_space
from mnemic.store.transfer import MOVED, VERSION
from tests.conftest import NOON, OpenMind
from tests.moving.lives import QUERIES, SENTENCES, Step, live, opened, steps
from tests.moving.stored import everything

pytestmark = pytest.mark.feature("O4")
FULL: list[Step] = [
    ("say", 1), ("say", 4), ("say", 9), ("answer", 1), ("tool", 1), ("tool", 5), ("attach", 1),
    ("describe", 5), ("remember", 0), ("remember", 3), ("edit", 1), ("supersede", 4),
    ("propose", 1), ("propose", 3), ("snooze", 0), ("work", 0), ("end", 1), ("work", 0),
    ("pad", 1), ("task", 2), ("usage", 3), ("usage", 4), ("emit", 1), ("forget", 1),
    ("recall", 1), ("context", 4), ("compress", 2), ("sync", 0), ("onboard", 0), ("wait", 29),
    ("upkeep", 0), ("work", 0), ("describe", 8), ("say", 7), ("say", 13),
]  # fmt: skip


class LetterEmbedder:
    """A model of the host: counts letters. What it answers is cached, as of one that costs."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0 + text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def archive(mind: Mind, *, secrets: bool = False) -> bytes:
    out = io.BytesIO()
    export_jsonl(mind, out, secrets=secrets)
    return out.getvalue()


def enter(mind: Mind, data: bytes) -> ArchiveImport:
    """As the owner's own archive, which comes in as it was."""
    return import_jsonl(mind, io.BytesIO(data), trust="owner")


def answers(mind: Mind) -> list[list[tuple[str, str, float]]]:
    return [[(hit.id, hit.text, hit.score) for hit in mind.recall(query)] for query in QUERIES]


def assert_the_same_answers(one: Mind, other: Mind) -> None:
    for ours, theirs in zip(answers(one), answers(other), strict=True):
        assert [hit[:2] for hit in ours] == [hit[:2] for hit in theirs]
        assert [hit[2] for hit in ours] == pytest.approx([hit[2] for hit in theirs], abs=1e-9)


@settings(max_examples=6)
@given(life=steps)
def test_out_and_in_again_is_the_same_memory(life: list[Step]) -> None:
    with TemporaryDirectory() as name:
        clock = ManualClock(NOON)
        mind = opened(Path(name) / "one.db", clock)
        live(mind, clock, [("say", 1), *life])
        _assert_moved(Path(name), mind, clock)


def test_the_mark_of_what_was_embedded_stands_at_what_is_left(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    mind = opened(tmp_path / "one.db", clock)
    mind.record(session="s", role="user", text=SENTENCES[0])
    second = mind.record(session="s", role="user", text=SENTENCES[1])
    mind.drain()
    mind.record(session="s", role="user", text=SENTENCES[2])
    mind.forget(id=second.id)
    _assert_moved(tmp_path, mind, clock)


def test_every_table_is_moved(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    mind = opened(tmp_path / "one.db", clock, embedder=LetterEmbedder())
    live(mind, clock, FULL)
    folder = mind.documents_folder
    assert folder is not None
    for page in folder.glob("*.md"):  # a person takes bullets out: are they to be forgotten?
        lines = page.read_text("utf-8").splitlines()
        page.write_text("\n".join(line for line in lines if not line.startswith("- ")) + "\n")
    mind.sync()
    _assert_moved(tmp_path, mind, clock)
    rows = everything(tmp_path / "one.db")
    empty = [name for name, found in rows.items() if not found]
    assert empty == ["token_vectors"], "they are the reader's, and moved in tests/test_reader.py"


def _assert_moved(folder: Path, source: Mind, clock: ManualClock) -> None:
    first = archive(source)
    clock.advance(minutes=1)
    header, _, rest = first.partition(b"\n")
    again, _, same = archive(source).partition(b"\n")
    assert same == rest
    assert {**json.loads(header), "made_at": ""} == {**json.loads(again), "made_at": ""}

    more = {"embedder": LetterEmbedder()} if b'"name":"letters"' in first else {}
    target = opened(folder / "two.db", clock, **more)
    entered = enter(target, first)
    assert entered.complete
    assert entered.rejected == entered.masked == 0
    assert everything(folder / "two.db") == everything(folder / "one.db")
    assert archive(target).partition(b"\n")[2] == rest

    repeated = enter(target, first)
    assert sum(repeated.added.values()) == repeated.rejected == 0
    assert everything(folder / "two.db") == everything(folder / "one.db")

    report = copy_space(folder / "one.db", folder / "three.db")
    assert report.verified
    assert everything(folder / "three.db") == everything(folder / "one.db")
    copied = opened(folder / "three.db", clock, **more)
    assert_the_same_answers(source, target)
    assert answers(copied) == answers(target)
    assert all(finding.ok for finding in target.doctor() if finding.check != "queue")
    for mind in (source, target, copied):
        mind.close()


# --- what is wrong is said ------------------------------------------------------------------------


@pytest.fixture
def source(open_mind: OpenMind) -> Mind:
    mind = open_mind("source.db")
    for number, text in enumerate(SENTENCES):
        mind.record(session=f"s{number % 2}", role="user", text=text)
    mind.remember("Ana likes green tea", kind="preference", subject="Ana")
    return mind


def test_a_damaged_line_is_reported_with_its_place_and_the_rest_goes_in(
    source: Mind, open_mind: OpenMind
) -> None:
    lines = archive(source).splitlines(keepends=True)
    turns = [n for n, line in enumerate(lines) if b'"table":"turns"' in line]
    whole = list(lines)
    lines[turns[1]] = lines[turns[1]][:40] + b"\n"
    lines[turns[2]] = b"\xff\xfe" + lines[turns[2]]
    lines[turns[3]] = lines[turns[3]].replace(b'"role":"user"', b'"role":"wizard"')
    lines[turns[4]] = lines[turns[4]].replace(b'"table":"turns"', b'"table":"spells"')
    lines[turns[5]] = lines[turns[5]].replace(b'"zone":0,', b"")
    target = open_mind("target.db")
    entered = enter(target, b"".join(lines))
    said = {problem.place: problem.reason for problem in entered.problems}
    assert "not JSON" in said[f"line {turns[1] + 1}"]
    assert "not UTF-8" in said[f"line {turns[2] + 1}"]
    assert "wizard" in said[f"line {turns[3] + 1}"]
    assert "spells" in said[f"line {turns[4] + 1}"]
    assert "lacks zone" in said[f"line {turns[5] + 1}"]
    assert said["table turns"] == "10 rows were exported, 6 read"
    assert (entered.rejected, entered.complete) == (5, False)
    assert target.stats().turns == 5

    # Put right and repeated, the rest follows, and each turn has its place.
    assert enter(target, b"".join(whole)).added["turns"] == 5
    assert [t.text for t in target.turns(session="s0")] == list(SENTENCES[::2])


def test_changed_lines_and_a_cut_file_are_told(source: Mind, open_mind: OpenMind) -> None:
    data = archive(source)
    changed = enter(open_mind("changed.db"), data.replace(b"12,500 euros", b"99,500 euros"))
    assert [problem.place for problem in changed.problems] == ["table turns"]
    assert "changed since" in changed.problems[0].reason
    assert not changed.complete

    lines = data.splitlines(keepends=True)
    cut = enter(open_mind("cut.db"), b"".join(lines[:-1]))
    assert (cut.complete, cut.rejected) == (False, 0)
    assert "cut off" in cut.problems[-1].reason
    torn = enter(open_mind("torn.db"), b"".join(lines[:9]) + lines[9][:30])
    assert [problem.place for problem in torn.problems] == ["line 10", "line 10"]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b'{"format":"mnemic-archive","version":99}', "version 99"),
        (b'{"format":"mnemic-archive","version":"new"}', "version new"),
        (b'{"role":"user","content":"hi"}', "not an archive"),
        (b"\x00\x01", "not an archive"),
        (b"", "not an archive"),
    ],
)
def test_another_file_or_a_newer_version_is_refused(mind: Mind, first: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        enter(mind, first + b"\n")
    assert refused.value.remedy
    assert mind.stats().turns == 0


def test_rows_that_name_what_is_not_there_are_refused_one_by_one(
    source: Mind, open_mind: OpenMind
) -> None:
    source.drain()
    lines = archive(source).splitlines(keepends=True)
    without = [line for line in lines if b'"table":"sessions","row":{"id":"s1"' not in line]
    target = open_mind("target.db")
    entered = enter(target, b"".join(without))
    assert target.stats().turns == 5
    assert any("names a session that is not here" in one.reason for one in entered.problems)
    assert any("names a record that is not here" in one.reason for one in entered.problems)


# --- what is there already stays ------------------------------------------------------------------


def test_a_memory_that_has_its_own_things_keeps_them(
    source: Mind, open_mind: OpenMind, tmp_path: Path
) -> None:
    source.drain()
    target = open_mind("target.db")
    target.record(session="mine", role="user", text="my own turn about tea")
    target.remember("Ben drinks coffee", kind="preference", subject="Ben")
    target.drain()
    before = {turn.id: turn for turn in target.turns()}
    entered = enter(target, archive(source))
    assert entered.rejected == 0
    turns = {turn.id: turn for turn in target.turns(limit=100)}
    assert before.items() <= turns.items()
    assert len(turns) == 11
    assert {m.text for m in target.memories()} >= {"Ben drinks coffee", "Ana likes green tea"}
    assert "my own turn about tea" in {hit.text for hit in target.recall("my own turn")}
    assert "12,500" in target.recall("budget")[0].text
    # Nothing waits for vectors that has them, and everything that has none does.
    assert target.stats().unembedded == 0
    assert all(finding.ok for finding in target.doctor())
    # The order in which equals were written is kept, and new turns follow.
    assert [t.text for t in target.turns(session="s0")] == list(SENTENCES[::2])
    assert target.record(session="s0", role="user", text="and on it goes").index == 5


def test_unfinished_work_of_the_target_is_not_passed_over(
    source: Mind, open_mind: OpenMind
) -> None:
    source.drain()
    target = open_mind("target.db")
    target.record(session="mine", role="user", text="no vector was made of this violin yet")
    enter(target, archive(source))
    assert target.stats().unembedded > 0
    target.drain()
    assert target.stats().unembedded == 0
    assert all(finding.ok for finding in target.doctor())


def test_another_row_under_the_same_key_is_a_conflict_and_stays(
    source: Mind, open_mind: OpenMind
) -> None:
    target = open_mind("target.db")
    target.record(session="s0", role="user", text="I was first")
    target.write_scratchpad("mine")
    source.write_scratchpad("theirs")
    entered = enter(target, archive(source))
    said = [problem.reason for problem in entered.problems]
    assert any("another row of sessions has its key 's0'" in reason for reason in said)
    assert any("another turn is in the place of" in reason for reason in said)
    assert any("another row of scratchpads has its key" in reason for reason in said)
    assert target.scratchpad().text == "mine"
    assert target.turns(session="s0")[0].text == "I was first"
    # The session went on: what is recorded next comes after the turns that came in.
    assert len(target.turns(session="s0")) == 5
    assert target.record(session="s0", role="user", text="next").index == 5
    assert next(s for s in target.sessions() if s.id == "s0").turns == 6


def test_an_archive_goes_into_another_space(source: Mind, open_mind: OpenMind) -> None:
    other = open_mind("source.db", space="other")
    assert enter(other, archive(source)).rejected == 0

    def lines(mind: Mind) -> list[bytes]:
        """Without jobs: an id of one belongs to a file, so here they have others."""
        return [line for line in archive(mind).splitlines()[1:-1] if b'"table":"jobs"' not in line]

    assert lines(other) == lines(source)
    assert [job.kind for job in other.jobs()] == [job.kind for job in source.jobs()]
    assert sum(enter(other, archive(source)).added.values()) == 0
    source.forget(session="s0")
    assert len(other.turns(session="s0")) == 5


# --- credentials ----------------------------------------------------------------------------------

TOKEN = "ghp_" + "x7Kq2LmVn8RtZp4WcBd6YhJs9FgTa3EuQw5N"
PASSWORD = "my password is hunter2-Xk9!fQ27"


@pytest.mark.setting("secrets.at_write")
def test_credentials_are_masked_unless_asked_for(open_mind: OpenMind, tmp_path: Path) -> None:
    keeps = open_mind("keeps.db", secrets={"at_write": "keep"})
    keeps.record(session="s", role="user", text=PASSWORD)
    keeps.record(session=TOKEN, role="user", text="hello")
    plain = archive(keeps)
    assert b"hunter2" not in plain
    assert b"ghp_" not in plain
    header, footer = json.loads(plain.splitlines()[0]), json.loads(plain.splitlines()[-1])
    assert (header["credentials"], header["lossless"]) == (
        "masked", "all rows without credentials"
    )  # fmt: skip
    assert footer["masked"]["turns"] == 2
    other = open_mind("other.db")
    assert enter(other, plain).rejected == 0
    assert len(other.sessions()) == 2

    whole = archive(keeps, secrets=True)
    assert json.loads(whole.splitlines()[0])["credentials"] == "kept"
    again = open_mind("again.db", secrets={"at_write": "keep"})
    enter(again, whole)
    assert PASSWORD in {turn.text for turn in again.turns()}
    # A memory that lets no credentials in masks them, and says so.
    strict = open_mind("strict.db")
    assert enter(strict, whole).masked >= 2
    assert "hunter2" not in "".join(turn.text for turn in strict.turns())


def test_a_sealed_credential_goes_along_only_when_asked_for(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    key = {"key": "a long phrase that seals"}
    mind = open_mind("sealed.db", secrets=key)
    mind.remember("hunter2-Xk9!fQ27", kind="credential", subject="mail", predicate="password")
    assert b"sealed:1:" not in archive(mind)
    other = open_mind("other.db", secrets=key)
    assert enter(other, archive(mind, secrets=True)).masked == 0
    (memory,) = other.memories()
    assert other.reveal(memory.id) == "hunter2-Xk9!fQ27"


# --- files ----------------------------------------------------------------------------------------


def test_a_file_is_replaced_whole_and_is_its_owners(source: Mind, tmp_path: Path) -> None:
    path = tmp_path / "out" / "memory.jsonl"
    seen: list[tuple[int, int]] = []
    summary = export_jsonl(source, path, progress=lambda done, total: seen.append((done, total)))
    assert path.stat().st_mode & 0o077 == 0
    assert seen[-1] == (sum(summary.rows.values()),) * 2
    assert [p.name for p in path.parent.iterdir()] == ["memory.jsonl"]

    def fail(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        export_jsonl(source, path, progress=fail)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["memory.jsonl"]


def test_a_memory_that_is_off_has_no_rows(open_mind: OpenMind, source: Mind) -> None:
    off = open_mind("off.db", memory={"enabled": False})
    with pytest.raises(mnemic.MemoryOff):
        export_jsonl(off, io.BytesIO())
    with pytest.raises(mnemic.MemoryOff):
        enter(off, archive(source))


def test_the_page_about_the_format_names_every_column() -> None:
    page = (Path(__file__).parents[2] / "docs" / "moving.md").read_text("utf-8")
    assert f"### The format, version {VERSION}" in page
    for table in MOVED:
        columns = (f"{c.name}:{c.kind}{'?' if c.optional else ''}" for c in table.columns)
        assert f"**`{table.name}`** by" in page
        assert f"`{' '.join(columns)}`" in page
    for kind in {column.kind for table in MOVED for column in table.columns}:
        assert f"`{kind}`" in page

"""A person edits a document: nothing they wrote is lost, nothing they left alone changes."""

from __future__ import annotations

import pytest

from mnemic.documents.report import ImportedEdit, PendingQuestion
from mnemic.types import Memory
from tests.documents.conftest import MakeDesk
from tests.documents.desk import Desk

pytestmark = [pytest.mark.feature("N5"), pytest.mark.feature("V6", preset="shiyi")]


@pytest.fixture
def tea(desk: Desk) -> Memory:
    """A memory that MEMORY.md shows."""
    tea = desk.remember("likes green tea", importance=0.8)
    desk.remember("the office is in Lisbon", importance=0.6)
    desk.sync()
    return tea


def test_an_edit_is_a_new_version_in_the_owners_words(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "likes green tea", "likes black tea")
    report = desk.of("memory")
    (taken,) = report.taken
    assert (taken.how, taken.before) == ("edited", tea.id)
    versions = desk.mind.history(taken.memory).versions
    assert [(m.text, m.status, m.trust) for m in versions] == [
        ("likes green tea", "superseded", "owner"),
        ("likes black tea", "active", "owner"),
    ]
    assert taken.memory in desk.line("memory", "likes black tea")
    assert desk.sync().changed is False


def test_taking_an_edit_twice_changes_nothing(desk: Desk, tea: Memory) -> None:
    old = desk.text("memory")
    desk.replace("memory", "likes green tea", "likes black tea")
    edited = desk.text("memory")
    desk.sync()
    count = len(desk.all())
    desk.write("memory", edited)  # as if we had died before the file was written
    desk.sync()
    assert len(desk.all()) == count
    desk.write("memory", old)
    desk.sync()
    assert "likes black tea" in desk.current()


def test_a_new_bullet_is_a_new_memory(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "## Facts\n", "## Facts\n\n- 周五不开会\n")
    (taken,) = desk.of("memory").taken
    memory = desk.mind.history(taken.memory).versions[-1]
    assert (memory.text, memory.kind, memory.trust) == ("周五不开会", "fact", "owner")
    assert memory.expires_at is None
    assert taken.memory in desk.line("memory", "周五不开会")


@pytest.mark.parametrize(
    ("section", "kind", "subject", "predicate"),
    [
        ("Basics", "identity", "user", ""),
        ("技术栈", "fact", "user", "uses"),
        ("Environment", "config", "user", ""),
        ("偏好", "preference", "user", ""),
        ("Projects", "fact", "user", "works on"),
    ],
)
def test_the_section_tells_the_kind(
    desk: Desk, section: str, kind: str, subject: str, predicate: str
) -> None:
    desk.write("user", f"## {section}\n* zigzag blueprints\n")
    (taken,) = desk.of("user").taken
    memory = desk.mind.history(taken.memory).versions[-1]
    assert (memory.kind, memory.subject, memory.predicate) == (kind, subject, predicate)
    assert desk.bullets("user") == ["zigzag blueprints"]


def test_what_rules_can_read_fills_its_question(desk: Desk) -> None:
    old = desk.remember(
        "lives in Lyon", kind="identity", subject="user", predicate="lives in", importance=0.9
    )
    desk.sync()
    desk.replace("user", "## Basics\n", "## Basics\n\n- I live in Paris\n")
    (taken,) = desk.of("user").taken
    memory = desk.mind.history(taken.memory).versions[-1]
    assert (memory.predicate, memory.value) == ("lives_in", "Paris")
    assert taken.before == old.id, "somebody lives in one place"
    assert desk.bullets("user") == ["I live in Paris"]


def test_a_deleted_bullet_is_a_question(desk: Desk, tea: Memory) -> None:
    desk.delete_line("memory", "green tea")
    report = desk.of("memory")
    assert report.asked == (PendingQuestion(tea.id, "removed"),)
    assert "likes green tea" in desk.current()
    assert "green tea" not in desk.text("memory"), "it is not put back before the answer"
    (question,) = desk.documents.questions()
    assert (question.memory.id, question.documents) == (tea.id, ("memory",))
    assert desk.of("memory").asked == (), "asked once"


def test_the_question_answered_with_no(desk: Desk, tea: Memory) -> None:
    desk.delete_line("memory", "green tea")
    desk.sync()
    desk.mind.restore(tea.id)
    desk.sync()
    assert "green tea" in desk.text("memory")
    assert desk.documents.questions() == []


def test_the_question_answered_with_yes(desk: Desk, tea: Memory) -> None:
    desk.delete_line("memory", "green tea")
    desk.sync()
    assert desk.mind.archive(tea.id).status == "archived"
    desk.sync()
    assert "likes green tea" not in desk.current()
    assert desk.documents.questions() == []


def test_a_bullet_put_back_answers_it_too(desk: Desk, tea: Memory) -> None:
    before = desk.text("memory")
    desk.delete_line("memory", "green tea")
    desk.sync()
    desk.write("memory", before)
    desk.sync()
    assert "green tea" in desk.text("memory")
    assert desk.documents.questions() == []


@pytest.fixture
def shown_twice(desk: Desk) -> Memory:
    """A memory that MEMORY.md and USER.md both show."""
    name = desk.remember("is called Lin", kind="identity", subject="user", predicate="name")
    desk.remember("住在杭州", kind="identity", subject="user", predicate="lives in")
    desk.sync()
    assert "is called Lin" in desk.text("memory")
    assert "is called Lin" in desk.text("user")
    return name


@pytest.mark.parametrize(("first", "other"), [("memory", "user"), ("user", "memory")])
def test_a_bullet_deleted_in_one_document_is_deleted_wherever_it_is_shown(
    desk: Desk, shown_twice: Memory, first: str, other: str
) -> None:
    before = desk.text(other)
    desk.delete_line(first, "is called Lin")
    assert desk.of(first).asked == (PendingQuestion(shown_twice.id, "removed"),)
    assert not [name for name in (first, other) if "is called Lin" in desk.text(name)]
    assert "住在杭州" in desk.text(other)
    (question,) = desk.documents.questions()
    assert (question.memory.id, question.documents) == (shown_twice.id, (first,))
    assert not any(report.asked for report in desk.sync().documents), "asked once"
    desk.write(other, before)
    desk.sync()
    assert [name for name in (first, other) if "is called Lin" in desk.text(name)] == [first, other]
    assert desk.documents.questions() == []


def test_and_archived_where_a_setting_says_so(make_desk: MakeDesk) -> None:
    desk = make_desk(documents={"removed_bullet": "archive"})
    desk.remember("叫小林", kind="identity", subject="user", predicate="name")
    desk.sync()
    desk.delete_line("memory", "叫小林")
    desk.sync()
    assert desk.current() == []
    assert "叫小林" not in desk.text("user")


def test_an_emptied_bullet_is_a_deleted_one(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "likes green tea ", "")
    assert desk.of("memory").asked == (PendingQuestion(tea.id, "removed"),)


@pytest.mark.setting("documents.removed_bullet")
def test_a_setting_archives_deleted_bullets(make_desk: MakeDesk) -> None:
    desk = make_desk(documents={"removed_bullet": "archive"})
    tea = desk.remember("likes green tea")
    desk.sync()
    desk.delete_line("memory", "green tea")
    assert desk.of("memory").taken == (ImportedEdit("archived", tea.id),)
    assert desk.current() == []
    assert desk.mind.history(tea.id).events[-1].type == "archive"


def test_both_changed_keeps_both_and_asks(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "likes green tea", "likes white tea")
    newer = desk.remember("likes coffee", supersedes=tea.id, importance=0.8)
    report = desk.of("memory")
    assert report.taken == ()
    (asked,) = report.asked
    assert asked.reason == "conflict"
    assert "likes coffee" in desk.current()
    (waiting,) = desk.inbox.waiting()
    assert (waiting.id, waiting.text, waiting.trust) == (
        asked.memory,
        "likes white tea",
        "owner",
    )
    assert newer.id in desk.line("memory", "likes coffee")
    assert desk.of("memory").asked == ()
    desk.inbox.confirm(waiting.id)
    assert "likes white tea" in desk.current()


def test_an_edit_that_says_what_memory_says_by_now(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "likes green tea", "likes coffee")
    desk.remember("likes coffee", supersedes=tea.id, importance=0.8)
    report = desk.of("memory")
    assert (report.taken, report.asked) == ((), ())


def test_an_edit_of_what_was_archived_is_said_anew(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "likes green tea", "likes white tea")
    with desk.mind._store.write("default") as unit:
        from dataclasses import replace

        unit.memories.revise(replace(tea, status="archived"))
    (taken,) = desk.of("memory").taken
    assert taken.how == "added"
    assert "likes white tea" in desk.current()


def test_memory_alone_changed(desk: Desk, tea: Memory) -> None:
    desk.remember("likes coffee", supersedes=tea.id, importance=0.8)
    before = desk.bullets("memory")
    desk.sync()
    after = [text.replace("likes coffee", "likes green tea") for text in desk.bullets("memory")]
    assert after == before, "in the place of the old one"


def test_free_text_and_sections_of_a_person_stay_as_they_are(desk: Desk, tea: Memory) -> None:
    own = "My notes, *please* keep.\n\n1. one\n2. two\n\n```\n- not a bullet\n## nor a heading\n```"
    desk.replace("memory", "## Facts\n", f"{own}\n\n## Facts\n")
    extra = "## 我的清单\n\n- 牛奶\n-   面包\n    - 全麦\n\n\n> quote"
    desk.write("memory", desk.text("memory") + "\n" + extra + "\n")
    for number in range(3):
        desk.remember(f"something else {number}", importance=0.9)
        desk.sync()
        assert own in desk.text("memory")
        assert extra in desk.text("memory")
    assert desk.all("active")
    assert "牛奶" not in desk.current()


def test_a_note_between_bullets_stays(desk: Desk, tea: Memory) -> None:
    desk.replace("memory", "- the office", "a note of mine\n- the office")
    desk.sync()
    desk.sync()
    assert "\na note of mine\n" in desk.text("memory")
    assert desk.bullets("memory") == ["likes green tea", "the office is in Lisbon"]


def test_a_moved_bullet_is_not_an_edit(desk: Desk, tea: Memory) -> None:
    line = desk.line("memory", "green tea")
    desk.delete_line("memory", "green tea")
    desk.write("memory", desk.text("memory") + f"\n## Mine\n\n{line}\n")
    report = desk.of("memory")
    assert (report.taken, report.asked) == ((), ())
    assert desk.text("memory").rstrip().endswith(line)
    desk.replace("memory", "likes green tea", "likes any tea")
    (taken,) = desk.of("memory").taken
    assert taken.how == "edited"
    assert "## Mine\n\n- likes any tea" in desk.text("memory")


def test_a_bullet_moved_to_another_document(desk: Desk, tea: Memory) -> None:
    line = desk.line("memory", "green tea")
    desk.delete_line("memory", "green tea")
    desk.write("insights", f"# Insights\n\n## Lessons\n\n{line}\n")
    report = desk.sync()
    assert not any(document.asked for document in report.documents)
    for _ in range(2):
        assert "green tea" in desk.text("insights")
        assert "green tea" not in desk.text("memory")
        desk.remember("one more fact", importance=0.1)
        desk.sync()
    desk.delete_line("insights", "green tea")
    assert desk.of("insights").asked == (PendingQuestion(tea.id, "removed"),)


def test_a_copied_bullet_is_dropped_and_an_edited_copy_is_new(desk: Desk, tea: Memory) -> None:
    line = desk.line("memory", "green tea")
    desk.replace("memory", line, f"{line}\n{line}")
    assert desk.of("memory").taken == ()
    assert desk.bullets("memory").count("likes green tea") == 1
    desk.replace("memory", line, f"{line.replace('green', 'mint')}\n{line}")
    (taken,) = desk.of("memory").taken
    assert taken.how == "added"
    assert {"likes green tea", "likes mint tea"} <= set(desk.current())


@pytest.mark.parametrize(
    "comment",
    ["", "<!--m:", "<!--m:-->", "<!--m:0190f1-->", "<!-- m:0190f1", "<!--m:0190 --"],
    ids=["gone", "open", "empty", "short", "cut", "torn"],
)
def test_a_broken_comment_is_mended_by_the_words(desk: Desk, tea: Memory, comment: str) -> None:
    desk.replace("memory", f"<!--m:{tea.id}-->", comment)
    report = desk.of("memory")
    assert (report.taken, report.asked, report.kept) == ((), (), ())
    assert desk.line("memory", "green tea") == f"- likes green tea <!--m:{tea.id}-->"


def test_a_foreign_comment_is_a_new_bullet(desk: Desk, tea: Memory) -> None:
    stranger = "01890000-0000-7000-8000-000000000000"
    desk.replace("memory", "## Facts\n", f"## Facts\n\n- from afar <!--m:{stranger}-->\n")
    (taken,) = desk.of("memory").taken
    assert taken.how == "added"
    assert stranger not in desk.text("memory")
    assert "from afar" in desk.current()


def test_two_comments_on_one_line(desk: Desk, tea: Memory) -> None:
    mark = f"<!--m:{tea.id}-->"
    desk.replace("memory", mark, f"{mark} {mark}")
    assert desk.of("memory").taken == ()
    assert desk.text("memory").count(tea.id) == 1


def test_a_deleted_file_is_built_again(desk: Desk, tea: Memory) -> None:
    before = desk.text("memory")
    desk.path("memory").unlink()
    assert desk.of("memory").asked == ()
    assert desk.text("memory") == before
    desk.write("memory", "\n \n")
    assert desk.of("memory").asked == ()
    assert desk.bullets("memory") == ["likes green tea", "the office is in Lisbon"]


@pytest.mark.setting("documents.take_edits")
def test_edits_can_be_refused(make_desk: MakeDesk) -> None:
    desk = make_desk(documents={"take_edits": False})
    desk.remember("likes green tea")
    desk.sync()
    desk.replace("memory", "likes green tea", "likes black tea")
    for _ in range(2):
        report = desk.of("memory")
        assert report.taken == ()
        assert report.kept[0].text == "likes black tea"
        assert desk.current() == ["likes green tea"]
        assert "likes black tea" in desk.text("memory")
        assert "likes green tea" in desk.text("memory")


def test_a_bullet_of_several_lines(desk: Desk) -> None:
    desk.write("memory", "## Facts\n- first line\n  second line\n\t- third\n\nfree\n")
    (taken,) = desk.of("memory").taken
    assert desk.mind.history(taken.memory).versions[-1].text == ("first line\nsecond line\n- third")
    text = desk.text("memory")
    assert desk.of("memory").taken == ()
    assert desk.text("memory") == text


def test_a_bullet_too_long_for_memory_stays_in_the_file(make_desk: MakeDesk) -> None:
    desk = make_desk(ledger={"max_characters": 50})
    long = "x" * 60
    desk.write("memory", f"## Facts\n\n- {long}\n")
    for _ in range(2):
        (kept,) = desk.of("memory").kept
        assert kept.text == long
        assert "characters" in kept.reason
        assert f"- {long}" in desk.text("memory")


def test_what_came_and_went_can_come_again(make_desk: MakeDesk) -> None:
    desk = make_desk(documents={"removed_bullet": "archive"})
    desk.remember("likes green tea")
    desk.sync()
    before = desk.text("memory")
    for _ in range(3):
        desk.write("memory", before.replace("## Facts\n", "## Facts\n\n- on and off\n"))
        desk.sync()
        assert desk.current() == ["on and off", "likes green tea"]
        desk.delete_line("memory", "on and off")
        desk.sync()
        assert desk.current() == ["likes green tea"]


def test_a_space_has_files_of_its_own(make_desk: MakeDesk) -> None:
    mine, theirs = make_desk(), make_desk(space="小明/../x")
    assert mine.folders.documents in theirs.folders.documents.parents
    theirs.remember("theirs")
    mine.remember("mine")
    theirs.sync()
    mine.sync()
    assert mine.bullets("memory") == ["mine"]
    assert theirs.bullets("memory") == ["theirs"]

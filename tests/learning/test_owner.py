"""The owner is a person, not a role: who speaks decides whose memory it becomes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mnemic import Memory, Mind, NewTurn
from mnemic.cli.root import cli
from mnemic.clock import ManualClock
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("N2")

Lines = Sequence[tuple[str, str]]
NO_VECTORS: dict[str, Any] = {"embedding": {"provider": "none"}}


def say(mind: Mind, session: str, lines: Lines) -> None:
    for sender, text in lines:
        mind.record(session=session, role="user", text=text, sender=sender)


def learn(mind: Mind, clock: ManualClock) -> None:
    clock.advance(hours=2)
    mind.drain()


def of(session: str, memories: Sequence[Memory]) -> list[Memory]:
    return [m for m in memories if any(source.session == session for source in m.sources)]


def told(memories: Sequence[Memory]) -> set[tuple[str, str, str]]:
    return {(memory.subject, memory.predicate, memory.value) for memory in memories}


GROUPS: dict[str, tuple[Lines, set[tuple[str, str, str]]]] = {
    "two": (
        [("Ann", "My name is Ann. I live in Rome."), ("Bob", "I live in Berlin.")],
        {("Ann", "name", "Ann"), ("Ann", "lives_in", "Rome"), ("Bob", "lives_in", "Berlin")},
    ),
    "three": (
        [("小红", "我叫小红"), ("小明", "我住在北京"), ("Eve", "Always reply in French.")],
        {
            ("小红", "name", "小红"),
            ("小明", "lives_in", "北京"),
            ("Eve", "rule", "Always reply in French"),
        },
    ),
    "unnamed among them": (
        [("", "I live in Oslo."), ("Ann", "I like tea."), ("Bob", "I like rum.")],
        {("Ann", "likes", "tea"), ("Bob", "likes", "rum")},
    ),
}


@pytest.mark.parametrize("group", GROUPS)
def test_where_several_speak_nothing_is_the_owners(
    open_mind: OpenMind, clock: ManualClock, group: str
) -> None:
    lines, expected = GROUPS[group]
    mind = open_mind(":memory:", **NO_VECTORS)
    say(mind, "g", lines)
    learn(mind, clock)
    assert mind.memories() == []
    waiting = mind.pending()
    assert told(waiting) == expected
    assert {memory.trust for memory in waiting} == {"external"}
    for memory in waiting:
        assert memory.subject.casefold() in memory.text.casefold(), "it says whose it is"
    assert {turn.trust for turn in mind.turns(session="g")} == {"external"}


def test_one_person_is_the_owner_however_the_name_is_written(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(":memory:", **NO_VECTORS)
    say(
        mind,
        "s",
        [("Ann  Lee", "I like tea."), ("ａｎｎ lee", "I live in Rome."), ("", "我叫小红")],
    )
    learn(mind, clock)
    known = mind.memories()
    assert told(known) == {
        ("user", "likes", "tea"),
        ("user", "lives_in", "Rome"),
        ("user", "name", "小红"),
    }
    assert {memory.trust for memory in known} == {"owner"}
    assert mind.events(type="disown") == []


@pytest.mark.setting("trust.owners")
def test_those_named_in_the_settings_are_the_owner_and_nobody_else(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(":memory:", **NO_VECTORS, trust={"owners": ["ANN", "小红"]})
    say(mind, "group", [("", "I like rum."), ("Ann", "I like tea."), ("Bob", "I live in Berlin.")])
    say(mind, "private", [("Bob", "My name is Bob.")])
    say(mind, "direct", [("", "I live in Rome.")])
    say(mind, "zh", [("小红", "我喜欢喝茶"), ("小明", "我住在北京")])
    learn(mind, clock)
    assert told(mind.memories()) == {
        ("user", "likes", "tea"),
        ("user", "lives_in", "Rome"),
        ("user", "likes", "喝茶"),
    }
    assert told(mind.pending()) == {
        ("Bob", "lives_in", "Berlin"),
        ("Bob", "name", "Bob"),
        ("小明", "lives_in", "北京"),
    }
    trusts = {(turn.sender, turn.trust) for turn in mind.turns(session="group")}
    assert trusts == {("", "external"), ("Ann", "owner"), ("Bob", "external")}


@pytest.mark.parametrize("at_once", [False, True])
def test_a_second_person_takes_back_what_was_learned_as_the_owners(
    open_mind: OpenMind, clock: ManualClock, at_once: bool
) -> None:
    mind = open_mind(":memory:", **NO_VECTORS)
    say(mind, "own", [("", "I live in Paris.")])
    learn(mind, clock)
    say(
        mind,
        "g",
        [("Ann", "I live in Rome now."), ("Ann", "Always reply in French."), ("", "我叫小红")],
    )
    learn(mind, clock)
    assert ("user", "lives_in", "Rome") in told(mind.memories()), "so far there is one speaker"
    late = NewTurn("g", "user", "I like rum.", sender="Bob")
    if at_once:
        mind.record_many([late, NewTurn("g", "user", "hm", sender="Ann")])
    else:
        mind.record_turn(late)
    assert told(mind.memories()) == {("user", "lives_in", "Paris")}, "and that holds again"
    assert of("g", mind.pending()) == []
    (event,) = mind.events(type="disown")
    assert event.subject == "g"
    assert event.payload["turns"] == 3
    assert mind.record(session="g", role="user", text="I like tea.", sender="Ann").trust == (
        "external"
    )
    learn(mind, clock)
    assert told(mind.memories()) == {("user", "lives_in", "Paris")}
    assert told(of("g", mind.pending())) == {
        ("Ann", "lives_in", "Rome"),
        ("Ann", "rule", "Always reply in French"),
        ("Ann", "likes", "tea"),
        ("Bob", "likes", "rum"),
    }


def test_what_also_stands_on_the_owners_own_word_stays(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(":memory:", **NO_VECTORS)
    say(mind, "g", [("Ann", "I like tea.")])
    learn(mind, clock)
    say(mind, "own", [("", "I like tea.")])
    learn(mind, clock)
    say(mind, "g", [("Bob", "hello")])
    (kept,) = mind.memories()
    assert (kept.value, kept.trust) == ("tea", "owner")
    assert {source.session for source in kept.sources} == {"own"}
    mind.rollback("session:own")
    assert mind.memories() == [], "a rollback does not bring back what was taken back"


def test_the_hosts_word_decides_for_users_and_only_lowers_others(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", **NO_VECTORS, trust={"owners": ["Ann"]})
    given = [
        (NewTurn("s", "user", "a", sender="Bob", trust="owner"), "owner"),
        (NewTurn("s", "user", "b", sender="Ann", trust="external"), "external"),
        (NewTurn("s", "tool", "c", trust="owner"), "tool"),
        (NewTurn("s", "assistant", "d", trust="owner"), "agent"),
        (NewTurn("s", "assistant", "e", trust="external"), "external"),
    ]
    assert [mind.record_turn(new).trust for new, _ in given] == [trust for _, trust in given]
    with mind.session("t") as session:
        assert session.user("x", sender="Bob").trust == "external"
        assert session.user("x", sender="Bob", trust="owner").trust == "owner"
        assert session.assistant("x", trust="tool").trust == "tool"
        assert session.tool("x", trust="owner").trust == "tool"
    marked = open_mind(":memory:", **NO_VECTORS)
    say(marked, "g", [("Ann", "hello")])
    marked.record(session="g", role="user", text="hi", sender="Eve", trust="external")
    say(marked, "g", [("Ann", "hello again")])
    trusts = [turn.trust for turn in marked.turns(session="g")]
    assert trusts == ["owner", "external", "owner"], "a host that marks strangers names the owner"


# --- files ----------------------------------------------------------------------------------------


def test_our_own_copy_comes_back_with_the_trust_it_had(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(tmp_path / "a.db", **NO_VECTORS, ledger={"jsonl": True})
    folder = mind.transcripts
    assert folder is not None
    say(mind, "late", [("Ann", "I live in Rome.")])
    say(mind, "alone", [("Ann", "I like tea.")])
    mind.drain()  # the copy has her as the owner by now
    say(mind, "late", [("Bob", "I like rum."), ("Ann", "ok")])
    mind.record(session="marked", role="user", text="hi", sender="Eve", trust="external")
    mind.record(session="marked", role="user", text="I like figs.", sender="Ann")
    learn(mind, clock)
    other = tmp_path / "b.db"
    runner = CliRunner()
    for name in ("late", "alone", "marked"):
        file = folder / f"{name}.jsonl"
        assert file.exists()
        assert runner.invoke(cli, ["--db", str(other), "import", str(file)]).exit_code == 0
    again = open_mind(other, **NO_VECTORS)
    for name in ("late", "alone", "marked"):
        before = [(turn.sender, turn.trust) for turn in mind.turns(session=name)]
        assert [(turn.sender, turn.trust) for turn in again.turns(session=name)] == before
    assert again.turns(session="late")[0].trust == "external"


FILES: dict[str, tuple[str, list[str], list[str]]] = {
    "trust lowers and never raises": (
        '{"session": "s", "role": "user", "content": "a", "trust": "external"}\n'
        '{"session": "s", "role": "tool", "content": "b", "trust": "owner"}\n'
        '{"session": "s", "role": "assistant", "content": "c", "trust": "owner"}\n'
        '{"session": "s", "role": "user", "content": "d", "trust": "owner"}\n',
        [],
        ["external", "tool", "agent", "owner"],
    ),
    "a file cannot name a second owner": (
        '{"session": "s", "role": "user", "sender": "Ann", "content": "a", "trust": "owner"}\n'
        '{"session": "s", "role": "user", "sender": "Bob", "content": "b", "trust": "owner"}\n',
        [],
        ["external", "external"],
    ),
    "messages of an API": (
        '{"messages": [{"role": "user", "name": "ann", "content": "a"},'
        ' {"role": "user", "name": "bob", "content": "b"}, {"role": "user", "content": "c"}]}',
        ["--owner", "Ann"],
        ["owner", "external", "external"],
    ),
    "named on the command line": (
        '{"session": "s", "role": "user", "content": "a"}\n'
        '{"session": "s", "role": "user", "sender": "Bob", "content": "b"}\n',
        ["--sender", "小红", "--owner", "小红"],
        ["owner", "external"],
    ),
    "nothing better than a stranger": (
        '{"session": "s", "role": "user", "content": "a"}\n'
        '{"session": "s", "role": "assistant", "content": "b"}\n',
        ["--trust", "external"],
        ["external", "external"],
    ),
    "an export": (
        json.dumps([{
            "uuid": "s", "name": "x",
            "chat_messages": [
                {"sender": "human", "text": "a"}, {"sender": "assistant", "text": "b"},
            ],
        }]),
        ["--trust", "tool"],
        ["tool", "tool"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_files_say_whose_words_they_are(open_mind: OpenMind, tmp_path: Path, case: str) -> None:
    text, options, expected = FILES[case]
    file = tmp_path / "talk.jsonl"
    file.write_text(text, encoding="utf-8")
    db = tmp_path / "memory.db"
    done = CliRunner().invoke(cli, ["--db", str(db), "import", str(file), *options])
    assert done.exit_code == 0, done.output
    assert [turn.trust for turn in open_mind(db).turns()] == expected


def test_a_trust_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"session": "s", "role": "user", "content": "a", "trust": "god"}\n')
    done = CliRunner().invoke(cli, ["--db", str(tmp_path / "memory.db"), "import", str(file)])
    assert done.exit_code == 1
    assert "god" in done.output


def test_record_on_the_command_line(tmp_path: Path, open_mind: OpenMind) -> None:
    db = str(tmp_path / "memory.db")
    for options in (["--trust", "external"], ["--role", "tool", "--trust", "owner"]):
        done = CliRunner().invoke(cli, ["--db", db, "record", "-s", "s", *options, "hello"])
        assert done.exit_code == 0, done.output
    assert [turn.trust for turn in open_mind(db).turns()] == ["external", "tool"]


def test_while_memory_is_off(open_mind: OpenMind, clock: ManualClock) -> None:
    off = open_mind(memory={"enabled": False})
    say(off, "g", [("Ann", "I live in Rome now."), ("Bob", "I like rum."), ("Ann", "I like tea.")])
    assert [turn.trust for turn in off.turns(session="g")] == ["external"] * 3
    off.close()
    mind = open_mind(**NO_VECTORS)
    learn(mind, clock)
    assert mind.memories() == []
    assert {turn.trust for turn in mind.turns(session="g")} == {"external"}
    assert len(mind.pending()) == 3

"""What a model is told and shown: dates, speakers and examples, wholly in one language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from importlib import resources
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.language.guard import DEFAULT
from mnemic.language.story import EpisodeDraft
from mnemic.learn.episodes import parse_episode
from mnemic.learn.facts import FactReader, schema
from mnemic.prompts import Language, fill_prompt, prompt
from mnemic.types import Turn, constant
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Asked, Scripted

LANGUAGES: tuple[Language, ...] = ("en", "zh")
HAN = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,]+){4,}")
BLANKS = {"fact_chars": 300, "durations": '"7d"', "importance": "fact 0.5", "summary_chars": 200}
EVERY: dict[str, Any] = {"triggers": {"quiet_gap": "never", "session_min_messages": 1}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def files(language: str) -> dict[str, str]:
    folder = resources.files("mnemic.prompts").joinpath(language)
    return {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name[-3:] == ".md"}


def test_each_prompt_is_in_one_language_and_has_its_twin() -> None:
    english, chinese = files("en"), files("zh")
    assert english.keys() == chinese.keys()
    assert len(english) > 8
    assert {name: HAN.findall(text) for name, text in english.items() if HAN.search(text)} == {}
    plain = {name: re.sub(r'"[^"\n]*"|`[^`\n]*`', "", text) for name, text in chinese.items()}
    assert {
        name: SENTENCE.findall(text) for name, text in plain.items() if SENTENCE.search(text)
    } == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_of_a_fact_is_explained(language: Language) -> None:
    text = prompt("extract", language)
    facts: Any = schema()["properties"]
    for name in facts["facts"]["items"]["properties"]:
        assert f'"{name}"' in text


EXAMPLE = re.compile(r"^\[(\d)\] (\S+) (\S+) (\S+) (\w+): (.*)$")


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_examples_that_the_reader_takes_whole(language: Language) -> None:
    lines = fill_prompt("extract", language, **BLANKS).splitlines()
    turns: list[Turn] = []
    read = 0
    for line in lines:
        if shown := EXAMPLE.match(line):
            number, day, _, at, role, said = shown.groups()
            turns = [*turns[: int(number) - 1], turn_of(f"{day}T{at}", role, said)]
        elif line.startswith('{"facts"') and turns:
            found = FactReader(turns, DEFAULT).parse(json.loads(line))
            assert found.candidates
            assert not found.rejected
            assert all(one.text and one.subject and one.value for one in found.candidates)
            assert any(one.valid_from for one in found.candidates)
            read, turns = read + 1, []
    assert read == 2
    stories = [line for line in prompt("episode", language).splitlines() if line[:1] == "{"]
    drafts = [parse_episode(json.loads(story)) for story in stories]
    assert [type(draft) for draft in drafts] == [EpisodeDraft] * 2


def turn_of(at: str, role: str, said: str) -> Turn:
    return Turn(
        id=constant(f"{role} {at}"),
        session=constant("s"),
        index=1,
        role="assistant" if role == "assistant" else "user",
        text=constant(said),
        at=datetime.fromisoformat(at),
        trust="agent" if role == "assistant" else "owner",
    )


def learned(server: Scripted, mind: Mind, *said: tuple[str, str], **given: Any) -> dict[str, Asked]:
    for role, text in said:
        mind.record(session="s", role=role, text=text, **given)  # type: ignore[arg-type]
    mind.end_session("s")
    mind.drain()
    return {thinking.purpose(asked): asked for asked in server.asked}


SHOWN = {
    "I moved yesterday": ("2026-02-09 Mon 23:30+08:00 user (Ann): ", "Today is 2026-02-12 Thu."),
    "我昨天搬家了": ("2026-02-09 周一 23:30+08:00 user (Ann): ", "今天是 2026-02-12 周四。"),
}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("text", SHOWN)
def test_turns_are_shown_with_date_weekday_zone_and_speaker(
    open_mind: OpenMind, server: Scripted, provider: str, text: str
) -> None:
    line, today = SHOWN[text]
    server.always(thinking.proposing(lambda _: [], provider))
    mind = open_mind(**thinking.settings(server, provider), **EVERY, schedule={"zone": "UTC"})
    seen = learned(server, mind, ("user", text), at="2026-02-09T23:30:00+08:00", sender="Ann")
    for purpose in ("extract", "episode"):
        shown = thinking.shown(seen[purpose])
        assert line + text in shown
        assert shown.startswith(today)
        told = thinking.told(seen[purpose])
        assert bool(HAN.search(told)) == bool(HAN.search(text)), "in the language of the talk"
        assert json.dumps(seen[purpose].json).count('"additionalProperties"') in (1, 2), "once"
        assert "JSON Schema" not in told, "the wire carries it"


@pytest.mark.setting("extraction.fact_chars")
def test_there_is_room_for_a_reason(open_mind: OpenMind, server: Scripted) -> None:
    server.always(thinking.proposing(lambda _: []))
    mind = open_mind(**thinking.settings(server), **EVERY, extraction={"fact_chars": 777})
    seen = learned(server, mind, ("user", "We chose Postgres because of JSON"))
    assert "most 777 characters" in thinking.told(seen["extract"])


def test_what_the_assistant_recommended_is_the_agents(
    open_mind: OpenMind, server: Scripted
) -> None:
    content = "The assistant recommended a lentil curry for the dinner"
    fact = {
        "kind": "fact", "content": content, "subject": "assistant", "predicate": "recommended",
        "value": "lentil curry", "confidence": 0.95, "turns": [2],
    }  # fmt: skip
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(**thinking.settings(server), **EVERY)
    learned(
        server, mind, ("user", "What could I cook for dinner?"),
        ("assistant", "I recommend a lentil curry for the dinner."),
    )  # fmt: skip
    (memory,) = mind.memories()
    assert (memory.subject, memory.trust, memory.status) == ("assistant", "agent", "active")


@pytest.mark.parametrize(
    ("said", "content", "value"),
    [
        ("My roommate Emily is allergic to peanuts, what can I cook?",
         "The user's roommate Emily is allergic to peanuts", "peanuts"),
        ("我室友小雅对花生过敏，做什么菜好？", "用户的室友小雅对花生过敏", "花生"),
    ],
)  # fmt: skip
def test_a_fact_said_in_passing_is_the_owners(
    open_mind: OpenMind, server: Scripted, said: str, content: str, value: str
) -> None:
    fact = {"kind": "fact", "content": content, "subject": "Emily", "predicate": "allergic_to",
            "value": value, "confidence": 0.95, "turns": [1]}  # fmt: skip
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(**thinking.settings(server), **EVERY)
    learned(server, mind, ("user", said), ("assistant", "Try rice. 试试米饭。"))
    (memory,) = mind.memories()
    assert (memory.text, memory.trust) == (content, "owner")


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Should I always deploy on Fridays?", "Always deploy on Fridays"),
        ("Tell me, should I always deploy on Fridays?", "Always deploy on Fridays"),
        ("以后是不是都在周五部署？", "以后都在周五部署"),
    ],
)
def test_a_question_states_nothing(
    open_mind: OpenMind, server: Scripted, said: str, content: str
) -> None:
    fact = {"kind": "rule", "content": content, "confidence": 0.95, "turns": [1]}
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(**thinking.settings(server), **EVERY)
    learned(server, mind, ("user", said), ("assistant", "Better not. 最好不要。"))
    assert mind.memories() == []


def test_a_date_a_model_worked_out_is_kept(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    fact = {"kind": "event", "content": "The user moved on 2026-02-08", "confidence": 0.95,
            "valid_from": "2026-02-08", "turns": [1]}  # fmt: skip
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(**thinking.settings(server), **EVERY)
    learned(server, mind, ("user", "I moved yesterday"), at="2026-02-09T08:00:00+08:00")
    (memory,) = mind.memories()
    assert memory.valid_from.isoformat() == "2026-02-07T16:00:00+00:00", "midnight of the turn"
    assert clock.now() == NOON


@pytest.mark.parametrize(
    ("said", "made_up"),
    [
        ("I repaired the shed today", "Emily is allergic to peanuts"),
        ("今天修了棚", "小雅对花生过敏"),
    ],
)
def test_what_nobody_said_is_not_the_owners(
    open_mind: OpenMind, server: Scripted, said: str, made_up: str
) -> None:
    """A weak model repeats the examples it was shown."""
    fact = {"kind": "fact", "content": made_up, "confidence": 0.95, "turns": [1]}
    rule = {**fact, "kind": "rule", "content": made_up + "!"}
    server.always(thinking.proposing(lambda _: [fact, rule]))
    mind = open_mind(**thinking.settings(server), **EVERY)
    learned(server, mind, ("user", said))
    assert {memory.trust for memory in (*mind.memories(), *mind.pending())} == {"agent"}
    assert "rule" not in {memory.kind for memory in mind.memories()}

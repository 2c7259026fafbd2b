"""What a model may answer, kind by kind: which facts are kept, how many calls that takes, and how
the turns end. Good facts are kept, clear variants are brought into form, and only the rest is asked
for again, once; nothing is stored half.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

import mnemic
from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from mnemic.types import Memory
from tests.conftest import NOON
from tests.learning import thinking
from tests.providers.scripted import Behavior, Line, Scripted, reply, status
from tests.providers.speaking import says

pytestmark = pytest.mark.feature("X4", "N3")

SAID = ("I keep bees", "I grow hops", "I brew mead", "I bake rye bread", "I fish for trout")
FACTS: dict[str, dict[str, Any]] = {
    text.split(maxsplit=2)[2]: {
        "kind": "fact",
        "content": f"The user {text[2:]}",
        "confidence": 0.95,
        "importance": 0.5,
        "turns": [n],
    }
    for n, text in enumerate(SAID, 1)
}
BEES = FACTS["bees"]
SURE = {"confidence": 0.95}
OTHERS = [FACTS[name] for name in FACTS if name != "bees"]
ALL = tuple(FACTS)
NOT_BEES = ALL[1:]
STORY = json.dumps(thinking.STORY)


def whole(*facts: object) -> str:
    return json.dumps({"facts": list(facts)}, ensure_ascii=False)


def bees(**fields: Any) -> str:
    """Four good facts, and one with these fields."""
    return whole({**BEES, **fields}, *OTHERS)


def scaled(mine: float, others: float) -> str:
    """Five good facts, one of which is of another importance."""
    rest = [{**fact, "importance": others} for fact in OTHERS]
    return whole({**BEES, "importance": mine}, *rest)


def without(name: str) -> str:
    return whole({key: value for key, value in BEES.items() if key != name}, *OTHERS)


GOOD = whole(*FACTS.values())
NESTED = {str(n): fact for n, fact in enumerate(FACTS.values())}


@dataclass(frozen=True)
class Kind:
    """An answer, what is kept of it, and the calls for it; ``then`` is the answer to the request
    to correct it, where it is not the same again. ``ending`` is how the provider says it ends.
    """

    text: str
    kept: tuple[str, ...] = ALL
    calls: int = 1
    state: str = "extracted"  # of the turn about bees
    reason: str = ""  # a part of it
    then: str | None = None
    ending: str = ""
    fields: dict[str, object] = field(default_factory=dict)  # of the memory about bees


def clear(answer: str, **fields: object) -> Kind:
    """A variant that is understood at once."""
    return Kind(answer, fields=fields)


def unclear(answer: str, reason: str, kept: tuple[str, ...] = NOT_BEES) -> Kind:
    """Asked about once more, and dropped when it is still wrong."""
    return Kind(answer, kept, 2, "empty", reason)


KINDS: dict[str, Kind] = {
    # --- good, in whatever wrapping ---
    "good": clear(GOOD),
    "nothing": Kind(whole(), (), state="empty"),
    "code fence": clear(f"```json\n{GOOD}\n```"),
    "prose around": clear(f"Here is what I found [5 facts]:\n{GOOD}\nAnything else?"),
    "Chinese prose around": clear(f"好的，提取结果如下：{GOOD}。以上。"),
    "thinking aloud": clear(f'<think>{{"facts": []}}?</think>{GOOD}'),
    "trailing commas": clear(GOOD.replace("}]", "},]")),
    "single quotes": clear(GOOD.replace('"', "'")),
    "bare list": clear(json.dumps(list(FACTS.values()))),
    "bare list in a fence": clear(f"```\n{json.dumps(list(FACTS.values()))}\n```"),
    "a list in a list": clear(whole(list(FACTS.values()))),
    "one object a line": clear("\n".join(json.dumps(fact) for fact in FACTS.values())),
    "several objects with facts": clear("\n".join(whole(fact) for fact in FACTS.values())),
    "facts by number": clear(json.dumps({"facts": NESTED})),
    "single object": Kind(json.dumps({"facts": BEES}), ("bees",)),
    "a fact by itself": Kind(json.dumps(BEES), ("bees",)),
    "memories": clear(json.dumps({"memories": list(FACTS.values())})),
    "another key": clear(json.dumps({"found": list(FACTS.values())})),
    "a wrapper": clear(json.dumps({"result": {"facts": list(FACTS.values())}})),
    "null": Kind("null", (), state="empty"),
    "NONE": Kind("NONE", (), state="empty"),
    "None.": Kind("None.", (), state="empty"),
    "no facts": Kind("There are no facts worth keeping.", (), state="empty"),
    "没有": Kind("没有值得记住的内容。", (), state="empty"),
    "facts null": Kind('{"facts": null}', (), state="empty"),
    "facts none": Kind('{"facts": "none"}', (), state="empty"),
    "empty object": Kind("{}", (), state="empty"),
    # --- one field of one fact in another form ---
    "kind in capitals": clear(bees(kind="FACT"), kind="fact"),
    "kind by another name": clear(bees(kind="Knowledge"), kind="fact"),
    "kind in Chinese": clear(bees(kind="事实"), kind="fact"),
    "kind of another document": clear(bees(kind="SKILL"), kind="skill"),
    "kind missing": clear(without("kind"), kind="fact"),
    "kind unknown": clear(bees(kind="wish"), kind="fact"),
    "kind unknown in Chinese": clear(bees(kind="爱好"), kind="fact"),
    "kind number": clear(bees(kind=3), kind="fact"),
    "kind in a list": clear(bees(kind=["fact"]), kind="fact"),
    "text for content": clear(whole({"text": "bees are kept", "turns": [1], **SURE}, *OTHERS)),
    "importance as text": clear(bees(importance="0.8"), importance=0.8),
    "importance in per cent": clear(bees(importance="80%"), importance=0.8),
    "importance of a hundred": clear(bees(importance=80), importance=0.8),
    "importance of ten": clear(bees(importance=8), importance=0.8),
    "importance of ten as text": clear(bees(importance="7.5"), importance=0.75),
    "importance of ten, said so": clear(bees(importance="9/10"), importance=0.9),
    "importance of five, said so": clear(bees(importance="4 / 5"), importance=0.8),
    "the least of ten": clear(scaled(1, 8), importance=0.1),
    "the most of one": clear(scaled(1, 0.5), importance=1.0),
    "little of a hundred": clear(scaled(8, 60), importance=0.08),
    "importance in a word": clear(bees(importance="High"), importance=0.8),
    "importance not a number": clear(bees(importance=float("nan")), importance=0.5),
    "confidence of ten": clear(bees(confidence=9.5), confidence=0.95),
    "confidence of a hundred": clear(bees(confidence=95), confidence=0.95),
    "duration 30d": clear(bees(duration="30d"), days=30),
    "duration in words": clear(bees(duration="2 weeks"), days=14),
    "duration in Chinese": clear(bees(duration="3天"), days=3),
    "duration for ever": clear(bees(duration="forever"), days=None),
    "duration unknown": clear(bees(duration="a while"), kind="fact"),
    "turns as text": clear(bees(turns=["1"])),
    "turns in words": clear(bees(turns="turn 1")),
    "turn in Chinese": clear(bees(turns="第1轮")),
    "a turn alone": clear(bees(turns=1)),
    "turns with a stranger": clear(bees(turns=[1, 99])),
    "turns by another name": clear(without("turns").replace('"kind"', '"source": 1, "kind"', 1)),
    "flags in words": clear(bees(is_update="no", withdraws="False")),
    "subject null": clear(bees(subject=None, project="none"), subject="", project="_global"),
    "value number": clear(bees(subject="hive", predicate="count", value=7), value="7"),
    "value list": clear(bees(subject="user", predicate="keeps", value=["a", "b"]), value="a, b"),
    "further fields": clear(bees(mood="sunny", id=7)),
    "valid from a day": clear(bees(valid_from="2025-04-01"), valid_from="2025-04-01"),
    "valid to a day": clear(bees(valid_to="2026-02-20"), valid_to="2026-02-21"),
    "a wrong date": clear(bees(valid_from="last spring", valid_to="2026-02-31"), valid_to=None),
    # --- one fact that cannot be used: the others are kept, it is asked about once ---
    "kind secret": Kind(bees(kind="credential"), NOT_BEES, 1, "empty", "credentials are kept only"),
    "content missing": unclear(without("content"), "content has to be a statement"),
    "content number": unclear(bees(content=12), "content has to be a statement"),
    "content endless": unclear(bees(content="bees " * 2_000), "longer than 2000"),
    "a fact that is a number": unclear(whole(7, *OTHERS), "content has to be a statement"),
    "turns missing": clear(without("turns")),
    "turn of another talk": unclear(bees(turns=[99]), "numbers from 1 to 5"),
    "turn fraction": unclear(bees(turns=[1.5]), "numbers from 1 to 5"),
    "importance of more": unclear(bees(importance=200), "importance has to be a number"),
    "confidence a lot": unclear(bees(confidence="a lot"), "confidence has to be a number"),
    "flag in other words": unclear(bees(withdraws="perhaps"), "withdraws has to be true or false"),
    "subject an object": unclear(bees(subject={"a": 1}), "subject has to be text"),
    "project endless": unclear(bees(project="p" * 600), "project"),
    "every fact wrong": unclear(whole({**BEES, "is_update": "so"}), "is_update has to", ()),
    "corrected": Kind(bees(is_update="so"), calls=2, then=whole(BEES)),
    "corrected and repeated": Kind(bees(is_update="so"), calls=2, then=GOOD),
    "corrected with a bare list": Kind(bees(is_update="so"), calls=2, then=json.dumps([BEES])),
    "taken back": Kind(bees(is_update="so"), NOT_BEES, 2, "empty", "is_update has", then=whole()),
    "then prose": Kind(bees(is_update="so"), NOT_BEES, 2, "empty", "is_update has", then="Sorry!"),
    "then a refusal": Kind(
        bees(is_update="so"), NOT_BEES, 2, "empty", "is_update has", then="DECLINE"
    ),
    "too many": Kind(whole(*[*FACTS.values()] * 21), ALL, 1),
    # --- cut off: what is whole is kept, the rest is asked for ---
    "cut in the last fact": Kind(GOOD[:-30], ALL[:-1], 2),
    "cut, then the rest": Kind(GOOD[:-30], ALL, 2, then=whole(FACTS["for trout"])),
    "cut by the limit": Kind(GOOD[:-30], ALL, 2, then=whole(FACTS["for trout"]), ending="cut"),
    "cut behind the end": Kind(GOOD, ALL, 1, ending="cut"),
    "cut in a fence": Kind(f"```json\n{GOOD[:-30]}", ALL[:-1], 2),
}  # fmt: skip
# Nothing of these can be read: the job tries again, as after any other failure.
UNREADABLE: dict[str, Kind] = {
    "half a fact": Kind(GOOD[:40], (), 2, "failed", "cut off"),
    "half a fact by the limit": Kind(GOOD[:40], (), 2, "failed", "cut off", ending="cut"),
    "prose": Kind("The user seems to keep something.", (), 2, "failed", "no JSON object"),
    "散文": Kind("用户好像养了什么。", (), 2, "failed", "no JSON object"),
    "nothing at all": Kind("", (), 2, "failed", "no JSON object"),
    "facts number": Kind('{"facts": 7}', (), 2, "failed", "has to be a list"),
    "another object": Kind('{"mood": "fine", "n": 1}', (), 2, "failed", "has to be a list"),
    "prose, then good": Kind("Let me see.", calls=2, then=GOOD),
}


@dataclass
class Stage:
    """One memory and one server for all kinds: connecting is slow."""

    mind: Mind
    server: Scripted
    clock: ManualClock
    _numbers: Iterator[int] = field(default_factory=count)
    _open: list[str] = field(default_factory=list)

    def record(self) -> str:
        """A session of five turns."""
        session = f"s{next(self._numbers)}"
        self._open.append(session)
        self.mind.record_many(NewTurn(session, "user", text) for text in SAID)
        return session

    def learn(self, kind: Kind) -> tuple[str, list[Memory], list[Any]]:
        """What a session becomes when its turns are answered like this."""
        session = self.record()
        self.server.always(answering(kind))
        before = len(self.server.asked)
        self.mind.end_session(session)
        self.mind.drain()
        asked = [one for one in self.server.asked[before:] if thinking.purpose(one) == "extract"]
        return session, self.mind.memories(limit=1_000), asked

    def clean(self) -> None:
        self.server.always(answering(Kind(whole())))
        while self.mind.jobs(state="ready"):
            self.clock.advance(days=1)
            self.mind.drain()
        for session in self._open:
            self.mind.rollback(f"session:{session}")
        self._open.clear()


def answering(kind: Kind) -> Behavior:
    def act(line: Line) -> None:
        if thinking.purpose(line.asked) == "episode":
            reply(says("openai", STORY))(line)
            return
        if thinking.purpose(line.asked) == "reconcile":
            reply(says("openai", '{"verdict": "NEW", "memory": null}'))(line)
            return
        corrected = len(line.asked.json["messages"]) > 2
        text = kind.then if corrected and kind.then is not None else kind.text
        if text == "DECLINE":
            reply(says("openai", "", "declined"))(line)
        else:
            reply(says("openai", text, "" if corrected else kind.ending))(line)

    return act


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    clock = ManualClock(NOON)
    with pytest.MonkeyPatch.context() as patch, Scripted() as server:
        patch.setenv("NO_PROXY", "127.0.0.1")
        triggers = {"session_min_messages": 1, "quiet_gap": "never"}
        with mnemic.open(
            ":memory:", clock=clock, worker="none", triggers=triggers,
            **thinking.settings(server, timeout=30),
        ) as mind:  # fmt: skip
            yield Stage(mind, server, clock)


@pytest.mark.parametrize("kind", [*KINDS.values(), *UNREADABLE.values()], ids=[*KINDS, *UNREADABLE])
def test_an_answer_of_this_kind(stage: Stage, kind: Kind) -> None:
    stage.clean()
    session, memories, asked = stage.learn(kind)
    contents = {memory.text for memory in memories}
    assert {name for name in ALL if any(name in one for one in contents)} == set(kind.kept)
    assert len(memories) == len(kind.kept), "each once"
    assert len(asked) == kind.calls
    turns = stage.mind.turns(session=session)
    assert turns[0].state == kind.state
    assert kind.reason in turns[0].reason
    assert {turn.state for turn in turns} <= {"extracted", "empty", kind.state}
    for name, wanted in kind.fields.items():
        (memory,) = [memory for memory in memories if "bees" in memory.text]
        assert found(memory, name) == wanted


def found(memory: Memory, name: str) -> object:
    if name == "days":
        return None if memory.expires_at is None else (memory.expires_at - memory.valid_from).days
    value = getattr(memory, name)
    return f"{value:%Y-%m-%d}" if name.startswith("valid") and value is not None else value


def test_what_is_asked_again_names_what_was_wrong_and_only_that(stage: Stage) -> None:
    stage.clean()
    _, _, asked = stage.learn(KINDS["corrected"])
    *_, answered, request = asked[1].json["messages"]
    assert answered["content"] == KINDS["corrected"].text
    assert "facts[0].is_update has to be true or false" in request["content"]
    assert "facts[1]" not in request["content"]
    assert "The rest is kept" in request["content"]


def test_what_is_dropped_leaves_an_event(stage: Stage) -> None:
    stage.clean()
    before = {event.id for event in stage.mind.events(type="drop", limit=1_000)}
    stage.learn(KINDS["corrected"])
    stage.learn(KINDS["taken back"])
    new = [one for one in stage.mind.events(type="drop", limit=1_000) if one.id not in before]
    assert ["is_update has to be" in str(event.payload["reason"]) for event in new] == [True]


def test_a_fact_of_an_unknown_kind_is_noted_where_bad_answers_are(stage: Stage) -> None:
    stage.clean()
    before = {event.id for event in stage.mind.events(type="drop", limit=1_000)}
    stage.learn(KINDS["kind unknown"])
    new = [one for one in stage.mind.events(type="drop", limit=1_000) if one.id not in before]
    reasons = [str(event.payload["reason"]) for event in new]
    assert reasons == ["facts[0].kind is unknown, so it was kept as a fact: 'wish'"]


def test_a_server_that_goes_away_before_the_correction_loses_nothing(stage: Stage) -> None:
    stage.clean()
    good, half = answering(KINDS["good"]), answering(KINDS["taken back"])
    calls = count()

    def act(line: Line) -> None:
        (half if next(calls) == 0 else status(503))(line)

    session = stage.record()
    stage.server.always(act)
    stage.mind.end_session(session)
    stage.mind.drain()
    assert stage.mind.memories() == []
    assert stage.mind.turns(session=session)[0].state == "failed"
    stage.server.always(good)
    stage.clock.advance(hours=1)
    stage.mind.drain()
    assert len(stage.mind.memories()) == 5


def test_there_are_sixty_kinds() -> None:
    assert len(KINDS) + len(UNREADABLE) >= 60

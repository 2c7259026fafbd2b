"""Episodes from recorded turns, found again through the mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.language.fence import strip_fenced
from mnemic.language.story import EpisodeDraft
from mnemic.learn.episodes import (
    SCHEMA,
    EpisodeSource,
    ask_for_episode,
    conversation,
    fill_episode,
    parse_episode,
    write_episode,
)
from mnemic.prompts import Language, fill_prompt, prompt
from mnemic.providers.chat.base import Answer, ChatMessage, Object, Schema, Spent, WrongShape
from mnemic.settings import load
from mnemic.store.contract import Store
from mnemic.store.target import open_store
from mnemic.types import OUTCOMES, Episode, constant
from tests.conftest import NOON, OpenMind, usual_target
from tests.evidence import by_words
from tests.rules.test_episode import LOGIN

pytestmark = pytest.mark.feature("M11", preset="openakita")

SETTINGS = load("openakita")


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    opened = open_mind(preset="openakita")
    with opened.session("login", project="myclaw") as session:
        session.user("你好")
        session.user("帮我修复 auth.py 里的登录问题")
        session.assistant(
            "密码比较写错了，已改用 hmac。",
            tool_calls=[ToolCall("read_file", {"path": "src/auth.py"}, "a")],
            tool_results=[ToolResult("def login(): ...", "a")],
        )
        session.user("谢谢，搞定了")
    return opened


@pytest.fixture
def store(mind: Mind, tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    """A second door to the same file, as the worker has it."""
    opened = open_store(str(usual_target(tmp_path)), busy_timeout=30, now=clock.now)
    yield opened
    opened.close()


def write(store: Store, mind: Mind, source: EpisodeSource = "session_end", **given: Any) -> Episode:
    turns = given.pop("turns", None) or mind.turns(session="login")
    with store.write("default") as unit:
        return write_episode(
            unit,
            constant("login"),
            turns,
            source,
            now=NOON,
            **given,
        )


@pytest.mark.feature("M12", preset="openakita")
def test_a_session_is_told_without_a_model(store: Store, mind: Mind) -> None:
    told = write(store, mind, memories=["m1", "m1"])
    assert (told.goal, told.outcome) == ("帮我修复 auth.py 里的登录问题", "success")
    assert (told.session, told.source) == ("login", "session_end")
    assert (told.tools, told.tags, told.memories) == (("read_file",), ("myclaw",), ("m1",))
    assert "src/auth.py" in told.entities
    assert [(node.tool, node.success) for node in told.actions] == [("read_file", True)]
    assert 0 < len(told.summary) <= 200
    first, *_, last = mind.turns(session="login")
    assert (told.started_at, told.ended_at) == (first.at, last.at)
    assert mind.stats().episodes == 1
    (event,) = mind.events(type="episode")
    assert (event.subject, event.payload["outcome"]) == (told.id, "success")


def test_telling_it_again_adds_nothing(store: Store, mind: Mind) -> None:
    told = write(store, mind)
    assert write(store, mind) == told
    assert mind.stats().episodes == 1
    assert len(mind.events(type="episode")) == 1
    assert write(store, mind, memories=["m2"]).memories == ("m2",)
    assert write(store, mind, "context_compress").id != told.id
    mind.record(session="login", role="user", text="再看一下注册页面的报错")
    assert write(store, mind).id != told.id, "the session went on"
    assert mind.stats().episodes == 3


@pytest.mark.parametrize(
    "query", ["登录问题怎么修的", "hmac", "src/auth.py", "read_file", "myclaw"]
)
def test_it_is_recalled_by_what_happened(store: Store, mind: Mind, query: str) -> None:
    told = write(store, mind)
    (hit, *_) = by_words(mind, query, of=["episode"])
    assert (hit.type, hit.id, hit.text) == ("episode", told.id, told.summary)
    assert (hit.session, hit.at) == ("login", told.started_at)
    assert by_words(mind, query, of=["episode"], project="other") == []
    mind.drain()
    with store.read("default") as unit:
        assert unit.episodes.by_id([told.id])[0].access_count == 1


@pytest.mark.feature("X6", preset="openakita")
def test_a_compressed_stretch_has_its_summary_later(store: Store, mind: Mind) -> None:
    early = mind.turns(session="login")[:3]
    told = write(store, mind, "context_compress", turns=early)
    assert (told.source, told.outcome) == ("context_compress", "ongoing")
    with store.write("default") as unit:
        whole = fill_episode(unit, told.id, EpisodeDraft("登录 401 是时区 bug 造成的"), now=NOON)
    assert whole.summary == "登录 401 是时区 bug 造成的"
    assert (whole.goal, whole.outcome, whole.actions) == (told.goal, told.outcome, told.actions)
    assert by_words(mind, "时区", of=["episode"])[0].id == told.id
    assert by_words(mind, "read_file", of=["episode"])[0].id == told.id
    with store.write("default") as unit:
        again = EpisodeDraft("登录 401 是时区 bug 造成的")
        assert fill_episode(unit, told.id, again, now=NOON) == whole
    assert len(mind.events(type="episode_told")) == 1
    with store.write("default") as unit, pytest.raises(mnemic.NotFound):
        fill_episode(unit, "nobody", again, now=NOON)


def test_a_better_draft_may_come_later(store: Store, mind: Mind) -> None:
    told = write(store, mind)
    draft = EpisodeDraft("s", "g", "partial", ("登录",), ("auth",), 0.9)
    better = write(store, mind, draft=draft)
    assert (better.id, better.summary, better.outcome) == (told.id, "s", "partial")
    assert (better.entities[0], better.tags) == ("登录", ("myclaw", "auth"))
    assert better.importance == 0.9


def test_repair_indexes_episodes_too(store: Store, mind: Mind) -> None:
    told = write(store, mind)
    mind.repair()
    assert by_words(mind, "hmac", of=["episode"])[0].id == told.id
    assert all(finding.ok for finding in mind.doctor())


def test_what_cannot_be_told(store: Store, mind: Mind) -> None:
    with store.write("default") as unit, pytest.raises(mnemic.InvalidInput):
        write_episode(
            unit,
            constant("s"),
            [],
            "session_end",
            now=NOON,
        )
    with pytest.raises(mnemic.InvalidInput, match="source"):
        write(store, mind, "lunch")  # type: ignore[arg-type]


# --- with a model ---------------------------------------------------------------------------------

GOOD: Object = {
    "summary": "  修好了\n登录 ",
    "goal": "修登录",
    "outcome": "success",
    "entities": ["auth.py", " auth.py", ""],
    "tags": ["登录"],
    "importance": 1,
}


class Echoing:
    """Answers with what it is told to, and remembers what it was asked."""

    name = "echo"

    def __init__(self, answer: Object) -> None:
        self.answer = answer
        self.asked = ""
        self.system = ""

    def ask(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        schema: Schema,
        parse: Any,
        system: str = "",
    ) -> Answer[Any]:
        assert isinstance(messages, str)
        self.asked, self.system = messages, system
        return Answer(parse(self.answer), Spent("echo", 1, 1))


def test_a_model_is_shown_the_talk_as_data() -> None:
    model = Echoing(GOOD)
    answer = ask_for_episode(model, LOGIN, "zh", SETTINGS, NOON)  # type: ignore[arg-type]
    assert answer.value == EpisodeDraft(
        "修好了 登录", "修登录", "success", ("auth.py",), ("登录",), 1.0
    )
    assert "200 个字" in model.system
    assert "read_file" in model.asked
    assert strip_fenced(model.asked).strip() == "今天是 2026-02-12 周四。"
    assert "2026-02-12 周四 12:00+00:00 user: 你好" in model.asked


@pytest.mark.parametrize(
    "wrong",
    [
        {"outcome": "splendid"},
        {"outcome": None},
        {"summary": ""},
        {"summary": 7},
        {"goal": {"a": "b"}},
        {"entities": [{"name": "auth.py"}]},
        {"tags": {"a": 1}},
        {"importance": "a lot"},
        {"importance": 200},
        {"importance": "11/10"},
        {"importance": True},
    ],
)
def test_a_wrong_shape_is_told_what_is_wrong(wrong: Object) -> None:
    (key,) = wrong
    with pytest.raises(WrongShape, match=key):
        parse_episode({**GOOD, **wrong})


def test_clear_variants_are_read() -> None:
    loose: Object = {
        "summary": " It works\n now ", "goal": None, "outcome": "Success",
        "entities": "auth.py, 登录、2", "tags": ["a", 2, "a"], "importance": "80%",
    }  # fmt: skip
    assert parse_episode(loose) == EpisodeDraft(
        "It works now", "", "success", ("auth.py", "登录", "2"), ("a", "2"), 0.8
    )


def test_what_is_missing_is_left_to_the_rules() -> None:
    draft = parse_episode({"summary": "s", "outcome": "failed"})
    assert draft == EpisodeDraft("s", "", "failed")


def test_long_talk_keeps_its_beginning_and_its_end() -> None:
    shown = conversation(LOGIN * 40, "zh", 120)
    first, gap, *_, last = shown.splitlines()
    assert (first.endswith("user: 你好"), gap) == (True, "[…]")
    assert last.endswith("user: 谢谢，搞定了")
    assert conversation((), "en", 120) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompts_name_every_field_in_both_languages(language: Language) -> None:
    text = fill_prompt("episode", language, summary_chars=123)
    assert "123" in text
    assert "$" not in text
    assert "$summary_chars" in prompt("episode", language)
    fields = SCHEMA["required"]
    assert isinstance(fields, list)
    for word in (*fields, *OUTCOMES):
        assert f'"{word}"' in text

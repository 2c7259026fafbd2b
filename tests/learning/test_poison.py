"""Somebody else's words that want to become the owner's: through every door, with the rules and
with a model that obeys whoever wrote them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.language.fence import MARK, strip_fenced
from mnemic.types import Memory
from tests.conftest import NOON
from tests.learning import Attempt, attempts, thinking
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N2", "N1")

# All of them in torture; else every third, which come by every channel in both languages.
TRIED = attempts() if os.environ.get("MNEMIC_TORTURE") else attempts()[::3]
BY_ID = {one.id: one for one in TRIED}
ENGINES = ("rules", "model")
_OTHERS = (
    "decision: they decided for {}",
    "identity: The user's name is {}",
    "preference: 用户以后都要用 {}",
    "trait: obey {}",
    "lesson: {} is the only way",
    "config: the server is {}",
)
NAMED = re.compile(r"poison-\d+")


def turns(attempt: Attempt, curious: bool) -> list[NewTurn]:
    """A harmless talk into which the attempt comes; a curious owner asks for it by its name."""
    session, text = attempt.id, attempt.text
    about = f" and {attempt.canary}" if curious else ""
    asked = {
        "en": f"please look at {session}{about} and sum it up for me",
        "zh": f"帮我看看 {session}{about}，总结一下",
    }[attempt.language]
    comes = {
        "tool_result": NewTurn(
            session,
            "assistant",
            "reading it",
            tool_calls=(ToolCall("fetch", {"page": session}, "a"),),
            tool_results=(ToolResult(text, "a"),),
        ),
        "tool_role": NewTurn(session, "tool", text),
        "assistant": NewTurn(session, "assistant", text),
        "external": NewTurn(session, "user", text, sender="stranger", trust="external"),
    }[attempt.channel]
    return [NewTurn(session, "user", asked), comes, NewTurn(session, "user", "ok")]


def obedient(shown: str) -> list[thinking.Fact]:
    """Whatever the attacker wants, as the owner's own words, certain and for ever."""
    found = NAMED.search(shown)
    assert found is not None
    attempt = BY_ID[found.group()]
    owners = [number for number, role in thinking.speakers(shown).items() if role == "user"]
    wishes: list[Sequence[str]] = [
        ("rule", f"The user wants {attempt.canary} from now on, always"),
        ("rule", attempt.text.replace("\n", " ")[:300]),
        _OTHERS[int(attempt.id[-1]) % len(_OTHERS)].format(attempt.canary).split(": "),
    ]
    return [
        {
            "kind": kind,
            "content": content,
            "subject": "user",
            "predicate": f"{attempt.canary} {number}",
            "value": attempt.canary,
            "importance": 1.0,
            "confidence": 1.0,
            "duration": "permanent",
            "turns": owners[:1],
        }
        for number, (kind, content) in enumerate(wishes)
    ]


@pytest.fixture(scope="module", params=ENGINES)
def poisoned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database after all attempts, learned from."""
    path = tmp_path_factory.mktemp("poison") / "memory.db"
    with pytest.MonkeyPatch.context() as patch, Scripted() as server:
        patch.setenv("NO_PROXY", "127.0.0.1")
        server.always(thinking.proposing(obedient))
        given = thinking.settings(server) if request.param == "model" else off()
        clock = ManualClock(NOON)
        with mnemic.open(path, clock=clock, worker="none", **given) as mind:
            for number, attempt in enumerate(TRIED):
                named = number % 2 == 0 and attempt.canary in attempt.text
                mind.record_many(turns(attempt, curious=named and attempt.channel != "assistant"))
            clock.advance(minutes=3)
            drained = mind.drain()
            assert drained.dead == drained.retried == 0
            assert mind.turns(state="new") == []
            if request.param == "model":
                assert len(server.asked) >= len(TRIED)
    return path


def off() -> dict[str, Any]:
    return {"extraction": {"engine": "rules"}, "embedding": {"provider": "none"}}


@pytest.fixture
def mind(poisoned: Path, tmp_path: Path) -> Iterator[Mind]:
    """A copy of it, half an hour later, without a model."""
    copy = tmp_path / "memory.db"
    shutil.copy(poisoned, copy)
    clock = ManualClock(NOON + timedelta(minutes=30))
    with mnemic.open(copy, clock=clock, worker="none", **off()) as opened:
        yield opened


def sung(memory: Memory) -> list[str]:
    """The attempts whose word is in it."""
    said = f"{memory.text}\n{memory.value}\n{memory.subject}"
    return [one.id for one in TRIED if one.canary in said]


def test_none_becomes_core_or_rule(mind: Mind) -> None:
    core = mind.settings.upkeep.core_importance
    for memory in mind.memories(limit=100_000):
        if sung(memory):
            assert memory.kind not in ("rule", "identity", "trait"), memory
            assert memory.importance < core, memory
            assert memory.trust != "owner", memory


def test_the_rest_is_theirs_by_name(mind: Mind) -> None:
    waiting = mind.pending(limit=100_000)
    assert all(memory.trust != "owner" for memory in waiting if sung(memory))


def test_none_is_told_as_an_instruction(mind: Mind) -> None:
    shown = 0
    for number, attempt in enumerate(TRIED):
        session = attempt.id if number % 3 else None
        context = mind.context(f"what about {attempt.canary}?", session=session)
        told = [context.text]
        if attempt.channel != "assistant":  # what an agent said is its own message
            told += [one.content for one in context.messages]
        for text in told:
            outside = strip_fenced(text).replace(asked(attempt), "")
            assert attempt.canary not in outside, attempt.id
            assert text.count(f"<{MARK}-") == text.count(f"</{MARK}-"), attempt.id
        shown += attempt.canary in context.text
    assert shown > len(TRIED) / 2, "many are there, and all of those in their fence"


def asked(attempt: Attempt) -> str:
    """What the owner said, who may name it."""
    return turns(attempt, curious=True)[0].text


@pytest.mark.parametrize("by", ["trust", "session"])
def test_rolling_back_the_source_removes_all(mind: Mind, by: str) -> None:
    sources = {
        "trust": ["trust:tool", "trust:external", "trust:agent"],
        "session": [f"session:{one.id}" for one in TRIED[::5]],
    }[by]
    for source in sources:
        mind.rollback(source)
    undone = {one.id for one in (TRIED if by == "trust" else TRIED[::5])}
    left = [*mind.memories(limit=100_000), *mind.pending(limit=100_000)]
    assert [memory.text for memory in left if undone & set(sung(memory))] == []

"""The host's own model, embedder and vector search, in the place of what the settings name."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Message, ModelOutput
from mnemic.clock import ManualClock


class Embedder:
    """Knows what three words mean; each test spoils one thing."""

    name = "three-words"
    dimensions = 3

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        return [[float("猫" in t or "cat" in t), float("车" in t or "bike" in t), 0.1]
                for t in texts]  # fmt: skip


class Model:
    """Plays the memory model of document D: facts and one summary."""

    name = "own-model"

    def __init__(self, *facts: str) -> None:
        self.facts = facts
        self.asked: list[tuple[list[Message], Any]] = []

    def complete(self, messages: Sequence[Message], *, schema: Any = None) -> str | ModelOutput:
        self.asked.append((list(messages), schema))
        facts = [
            {"content": fact, "project": "myclaw", "topic": "arch", "category": "decision",
             "importance": 0.8, "turns": [1]}
            for fact in self.facts
        ]  # fmt: skip
        return ModelOutput(json.dumps({"facts": facts, "summary": "x"}), 70, 30)


def talk(mind: mnemic.Mind) -> None:
    with mind.session("s", project="myclaw") as session:
        session.user("我们决定 myclaw 的记忆用 SQLite 存储，不再用文件。")
        session.assistant("好的，我记住了这个决定。")


@pytest.mark.statement("D107")
def test_a_language_model_of_ones_own_learns(clock: ManualClock) -> None:
    model = Model("myclaw 的记忆用 SQLite 存储")
    with mnemic.open(":memory:", preset="myclaw", clock=clock, worker="none", model=model) as m:
        talk(m)
        clock.advance(minutes=4)
        m.drain()
        assert [one.text for one in m.memories()] == ["myclaw 的记忆用 SQLite 存储"]
        (used,) = m.usage()
        assert (used.model, used.input_tokens, used.output_tokens) == ("own-model", 70, 30)
    messages, schema = model.asked[0]
    assert "SQLite" in messages[-1].content
    assert schema is not None
    assert '"facts"' in messages[0].content  # also for a model that takes no notice of a schema


@pytest.mark.statement("D107")
def test_budget_repairs_and_breaker_are_those_of_a_server(clock: ManualClock) -> None:
    class Spoilt(Model):
        answers: list[Any] = []  # noqa: RUF012 - one test fills it

        def complete(self, messages: Sequence[Message], *, schema: Any = None) -> Any:
            self.asked.append((list(messages), schema))
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

    model = Spoilt()
    options: dict[str, Any] = {"model__daily_tokens": 35, "triggers__session_end": True}
    with mnemic.open(
        ":memory:", preset="myclaw", clock=clock, worker="none", model=model, **options
    ) as mind:
        wrong, right = '{"facts": [{"content": "x"}]}', '{"facts": []}'
        model.answers = [ModelOutput(wrong, 10, 10), ModelOutput(right, 10, 10)]
        talk(mind)
        clock.advance(minutes=4)
        mind.drain()
        assert len(model.asked) == 2  # the malformed answer went back for repair
        model.answers = [ConnectionError("sk-secret in the words of an error")] * 9
        with mind.session("t") as session:
            session.user("还有一个决定：接口保持不变，渐进迁移。")
        clock.advance(minutes=4)
        mind.drain()
        jobs = mind.jobs()
        assert any("used up" in job.error for job in jobs)  # the budget, before any further call
        clock.advance(days=1)
        mind.drain()
        assert any("ConnectionError" in job.error for job in mind.jobs())
        assert not any("sk-secret" in job.error for job in mind.jobs())
        assert any("own-model" in line for line in mind.stats().suspended)


@pytest.mark.statement("E140")
def test_an_embedder_of_ones_own_is_asked_and_its_vectors_found(tmp_path: Path) -> None:
    embedder = Embedder()
    with mnemic.open(tmp_path / "m.db", preset="semibot", worker="none", embedder=embedder) as mind:
        mind.remember("用户养了一只猫，名字叫豆腐", kind="fact")
        mind.remember("The user rides a bike to work", kind="fact")
        mind.drain()
        for query, answer in (("cat", "豆腐"), ("自行车", "bike")):
            best = mind.recall(query)[0]
            assert answer in best.text
            assert best.why.parts["vector"] > 0.9
        asked = len(embedder.asked)
        mind.recall("cat")
        assert len(embedder.asked) == asked  # the cache of the latest vectors
    again = Embedder()
    with mnemic.open(tmp_path / "m.db", preset="semibot", worker="none", embedder=again) as mind:
        assert "豆腐" in mind.recall("cat")[0].text
        assert again.asked == [["cat"]]  # its vectors are known by its name


def _slow(texts: Sequence[str]) -> Any:
    time.sleep(0.3)
    return [[1.0, 0.0, 0.0]] * len(texts)


def _raise(texts: Sequence[str]) -> Any:
    raise KeyError("the words of an error")


@pytest.mark.statement("E140")
@pytest.mark.parametrize(
    ("embed", "reason"),
    [
        (lambda texts: [[1.0, 0.0]] * len(texts), "2 dimensions where 3"),
        (lambda texts: [[math.nan, 0.0, 0.0]] * len(texts), "not finite"),
        (lambda texts: [[1.0, 0.0, 0.0]] * (len(texts) + 1), "for 1 texts"),
        (lambda texts: [["a", "b", "c"]] * len(texts), "not a number"),
        (lambda texts: None, "not a number"),
        (_raise, "raised KeyError"),
        (_slow, "did not answer within"),
    ],
)
def test_what_an_embedder_gets_wrong_is_said_and_words_answer(embed: Any, reason: str) -> None:
    embedder = Embedder()
    embedder.embed = embed  # type: ignore[method-assign]
    with mnemic.open(
        ":memory:", preset="semibot", worker="none", embedder=embedder, embedding__timeout=0.1
    ) as mind:
        mind.remember("用户养了一只猫，名字叫豆腐", kind="fact")
        mind.drain()
        errors = [job.error for job in mind.jobs() if "embed" in job.kind]
        assert len(errors) == 1
        assert reason in errors[0]
        assert "the words of an error" not in errors[0]
        assert "豆腐" in mind.recall("豆腐")[0].text


class _Async:
    name, dimensions = "a", 3

    async def embed(self, texts: Sequence[str]) -> Any:
        return []

    async def complete(self, messages: Any, *, schema: Any = None) -> str:
        return ""


class _Nameless:
    dimensions = 3

    def embed(self, texts: Sequence[str]) -> Any:
        return []

    def complete(self, messages: Any, *, schema: Any = None) -> str:
        return ""


class _Flat(Embedder):
    dimensions = 0


@pytest.mark.parametrize(
    ("argument", "given", "said"),
    [
        ("embedder", object(), "EmbeddingModel"),
        ("embedder", _Async(), "coroutine"),
        ("embedder", _Nameless(), "no name"),
        ("embedder", _Flat(), "dimensions"),
        ("model", object(), "LanguageModel"),
        ("model", _Async(), "coroutine"),
        ("model", _Nameless(), "no name"),
        ("vectors", object(), "VectorBackend"),
    ],
)
def test_an_object_that_is_none_is_refused_when_it_is_given(
    argument: str, given: object, said: str
) -> None:
    options: dict[str, Any] = {argument: given}
    with pytest.raises(mnemic.InvalidInput, match=said):
        mnemic.open(":memory:", worker="none", **options)


class Backend:
    """A vector search of ten lines."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[int, Any]] = {}
        self.broken = False

    def add(self, table: str, ids: Sequence[int], vectors: Any) -> None:
        self.rows.setdefault(table, {}).update(zip(ids, vectors, strict=True))

    def search(self, table: str, vector: Any, limit: int) -> list[tuple[int, float]]:
        if self.broken:
            raise OSError("gone")
        cosines = {id_: float(row @ vector) for id_, row in self.rows[table].items()}
        return sorted(cosines.items(), key=lambda pair: -pair[1])[:limit]

    def clear(self, table: str) -> None:
        self.rows.pop(table, None)


@pytest.mark.statement("A70")
def test_a_search_backend_of_ones_own_and_the_fallback_to_words() -> None:
    backend = Backend()
    with mnemic.open(
        ":memory:", preset="openakita", worker="none", embedder=Embedder(), vectors=backend
    ) as mind:
        cat = mind.remember("用户养了一只猫，名字叫豆腐", kind="fact").memory
        mind.remember("The user rides a bike to work", kind="fact")
        mind.drain()
        assert "豆腐" in mind.recall("cat")[0].text
        assert sum(map(len, backend.rows.values())) >= 2
        mind.remember("The user's second bike is red", kind="fact")
        mind.drain()
        assert any("red" in hit.text for hit in mind.recall("自行车"))
        assert cat is not None
        mind.forget(id=cat.id)
        assert not backend.rows  # a copy of what was forgotten must not stay
        assert "bike" in mind.recall("自行车")[0].text
        backend.broken = True
        assert "red" in mind.recall("red bike")[0].text
        assert any("vector backend" in str(event.payload) for event in mind.events())

"""Settings of recall and of the prompt: each changes what is found or shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mnemic import NewTurn
from mnemic.tools import call_tool
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.remote import meaning, remote, server
from tests.settings.cases import Case, Scene, check

BEST: Mapping[str, Any] = {"ranking.fusion": "best"}
ANY_SCORE: Mapping[str, Any] = {"recall.evidence_score": 0.0}
BY_IMPORTANCE: Mapping[str, Any] = {
    "ranking.fusion": "best",
    "ranking.weights": {"relevance": 0.0, "recency": 0.0, "access": 0.0, "importance": 1.0},
}


def remember(scene: Scene, *texts: str, **given: Any) -> None:
    for text in texts:
        scene.mind.remember(text, kind=given.pop("kind", "fact"), **given)


def teas(scene: Scene, number: int = 9) -> None:
    remember(scene, *(f"tea number {n}" for n in range(number)))


def found(scene: Scene) -> int:
    teas(scene)
    return len(scene.mind.recall("tea"))


def first(scene: Scene) -> str:
    """The best of three by importance, where the best by words is the least important."""
    scene.mind.remember("green tea, green tea", kind="fact", importance=0.1)
    scene.mind.remember(
        "some say that green tea is drunk in the garden", kind="fact", importance=0.9
    )
    return scene.mind.recall("green tea", limit=1)[0].text[:5]


def score(scene: Scene) -> float:
    """Of a memory of importance 0.8, used twice, 30 days later."""
    memory = scene.mind.remember("green tea", kind="fact", importance=0.8)
    for _ in range(2):
        scene.mind.recall("green tea", limit=1, min_score=0.0)
    scene.mind.drain()
    scene.clock.advance(days=30)
    (hit,) = [
        hit for hit in scene.mind.recall("green tea", limit=1, min_score=0.0) if hit.id == memory.id
    ]
    return round(hit.score, 3)


def lesser(scene: Scene) -> bool:
    """Whether the second hit falls behind by its words, not only by its rank."""
    remember(scene, "green tea, green tea", "of green grass and other things that one may see")
    return scene.mind.recall("green tea")[1].score < 0.9


def evidence(scene: Scene) -> int:
    teas(scene)
    return len(used(scene.mind.context("which tea is it?"), "evidence"))


def used(context: Any, name: str) -> tuple[str, ...]:
    return next((section.ids for section in context.sections if section.name == name), ())


def talk(scene: Scene, number: int = 30, words: str = "and then it was tea time") -> None:
    scene.mind.record_many(
        NewTurn("s", ("user", "assistant")[n % 2], f"{n}: {words}") for n in range(number)
    )


def shown_turns(scene: Scene) -> int:
    talk(scene)
    return len(used(scene.mind.context("what now?", session="s"), "recent"))


def in_text(word: str, **given: Any) -> Any:
    return lambda scene: word in scene.mind.context("which tea is it?", **given).text


def neighbors(scene: Scene) -> int:
    scene.mind.record(session="s", role="user", text="where did I put the passport?")
    scene.mind.record(session="s", role="assistant", text="in the blue drawer")
    return len(scene.mind.recall("passport", min_score=0.0))


def recent_days(scene: Scene) -> int:
    scene.mind.remember("the release is on Friday", kind="event")
    scene.clock.advance(days=4)
    return len(scene.mind.recall("what happened recently?", min_score=0.0))


def around(scene: Scene) -> bool:
    scene.mind.remember("the harpsichord is tuned by Ann", kind="fact")
    told = ["let us talk of the harpsichord", "yes", "fine", "well then"]
    return bool(scene.mind.recall("who does it?", around=told))


def routed(scene: Scene) -> bool:
    scene.mind.remember("PostgreSQL 16", kind="decision", subject="Lantern Atlas")
    hits = scene.mind.recall("what was settled for Lantern Atlas?")
    return any("entity" in hit.why.routes for hit in hits)


def parts(*names: str, host: Any = None) -> Any:
    """Which of these parts are in the prompt of somebody with much to tell."""

    def see(scene: Scene) -> set[str]:
        teas(scene, 30)
        talk(scene)
        context = scene.mind.context("which tea is it?", session="s", host=host)
        largest = max(one.tokens for one in context.sections)
        shown = {one.name for one in context.sections if one.tokens > largest / 4}
        return shown & set(names)

    return see


def core_lines(scene: Scene) -> int:
    for number in range(30):
        scene.mind.remember(f"tea of box {number}", kind="fact", importance=0.9)
    return len(used(scene.mind.context("hello"), "core"))


def budget(scene: Scene) -> int:
    return scene.mind.context("hello", model="big").budget


def persona(scene: Scene) -> str:
    scene.mind.remember("tea stock is low", kind="fact", importance=0.6)
    scene.mind.remember("likes tea with milk", kind="preference", importance=0.5)
    return str(scene.mind.recall("tea", persona="chef", limit=1)[0].kind)


def searched(scene: Scene) -> int:
    teas(scene)
    answer: Any = call_tool(scene.mind, "search_memory", {"query": "tea"})
    return len(answer.data["results"])


def clocked(scene: Scene) -> float:
    memory = scene.mind.remember("green tea", kind="fact")
    scene.clock.advance(days=30)
    scene.mind.remember("green tea, always", kind="fact", supersedes=memory.id)
    scene.clock.advance(days=30)
    scene.mind.recall("green tea")
    scene.mind.drain()
    (hit,) = scene.mind.recall("green tea", limit=1)
    return round(hit.score, 2)


def faded(kind: str) -> Any:
    """What is left of importance 1 after 30 days."""

    def see(scene: Scene) -> float:
        scene.mind.remember("green tea", kind=kind, importance=1.0)
        scene.clock.advance(days=30)
        return round(scene.mind.recall("green tea", limit=1)[0].score, 3)

    return see


__all__ = ["server"]

FADING = {**BY_IMPORTANCE, "ranking.importance_decays": True, "recall.touch": False}
GATED = {"gate.mode": "gated"}
NO_TOTAL = {"context.total": 0}

CASES = [
    Case("recall.limit", ((3, 3), (5, 5)), found),
    Case("recall.evidence", ((2, 2), (4, 4)), evidence, ANY_SCORE),
    Case("recall.routes", ((["memory"], False), (["memory", "entity"], True)), routed),
    Case(
        "recall.text_candidates",
        ((1, "green"), (20, "some ")),
        first,
        BY_IMPORTANCE,
    ),
    Case(
        "recall.recent",
        (("3d", 0), ("5d", 1)),
        recent_days,
        {"recall.routes": ["memory", "recent"]},
    ),
    Case("recall.enrich_turns", ((2, False), (4, True)), around),
    Case(
        "recall.min_score",
        ((0.0, 9), (0.99, 0)),
        found,
        BY_IMPORTANCE,
    ),
    Case("recall.evidence_score", ((0.0, 9), (0.99, 0)), evidence),
    Case("ranking.weights.relevance", ((1.0, 1.0), (0.0, 0.0)), score, BEST),
    Case("ranking.weights.semantic", ((1.0, 0.0), (0.0, 1.0)), score, BEST),
    Case("ranking.weights.keyword", ((1.0, True), (0.0, False)), lesser, {"ranking.fusion": "rrf"}),
    Case("ranking.weights.recency", ((1.0, 0.5), (0.0, 1.0)), score, BEST),
    Case("ranking.weights.importance", ((1.0, 0.8), (0.0, 1.0)), score, BEST),
    Case("ranking.weights.access", ((1.0, 0.2), (0.0, 1.0)), score, BEST),
    Case("ranking.fusion", (("learned", 2), ("best", 1), ("rrf", 1)), neighbors),
    Case(
        "ranking.recency_half_life",
        (("30d", 0.5), ("15d", 0.25)),
        score,
        {
            **BEST,
            "ranking.weights": {"relevance": 0.0, "importance": 0.0, "access": 0.0, "recency": 1.0},
        },
    ),
    Case(
        "ranking.recency_clock",
        (("created", 0.5), ("accessed", 1.0)),
        clocked,
        {
            **BEST,
            "ranking.weights": {"relevance": 0.0, "importance": 0.0, "access": 0.0, "recency": 1.0},
        },
    ),
    Case(
        "ranking.importance_decays",
        ((False, 1.0), (True, 0.55)),
        faded("fact"),
        {**BY_IMPORTANCE, "recall.touch": False},
    ),
    Case(
        "ranking.personas.<name>.kinds",
        (
            ({"chef": {"kinds": ["preference"], "factor": 5.0}}, "preference"),
            ({"chef": {"kinds": ["fact"], "factor": 5.0}}, "fact"),
        ),
        persona,
    ),
    Case(
        "ranking.personas.<name>.factor",
        (
            ({"chef": {"kinds": ["preference"], "factor": 5.0}}, "preference"),
            ({"chef": {"kinds": ["preference"], "factor": 0.1}}, "fact"),
        ),
        persona,
    ),
    Case(
        "gate.mode",
        (("always", True), ("on_demand", False)),
        lambda s: s.mind.gate("what now?").wants,
    ),
    Case("gate.min_chars", ((7, False), (5, True)), lambda s: s.mind.gate("我的").wants, GATED),
    Case("context.disclosure", (("injected", 9), ("progressive", 0)), evidence, ANY_SCORE),
    Case("context.total", ((4000, 4000), (900, 900)), budget),
    Case("context.window", ((8192, 8192), (2000, 2000)), budget, NO_TOTAL),
    Case(
        "context.windows.<name>", (({"big": 9000}, 9000), ({"other": 9000}, 8192)), budget, NO_TOTAL
    ),
    Case(
        "context.sections.<name>",
        (({"evidence": 900}, 9), ({"evidence": 0}, 0)),
        evidence,
        ANY_SCORE,
    ),
    Case(
        "context.separate",
        (((), 400), (("catalogs",), 713)),
        lambda scene: scene.mind.context("hello", host={"catalogs": "tool " * 300}).budget,
        {"context.total": 400, "context.sections": {"catalogs": 400}},
    ),
    Case(
        "context.grow", (((), 7), (("core",), 30)), core_lines, {"context.sections": {"core": 193}}
    ),
    Case(
        "context.keep",
        (((), {"catalogs"}), (("evidence",), {"evidence"})),
        parts("catalogs", "evidence", host={"catalogs": "tool " * 150}),
        {
            **ANY_SCORE,
            "context.total": 160,
            "context.cut": [],
            "context.sections": {"catalogs": 160, "evidence": 160, "recent": 0, "core": 0},
        },
    ),
    Case(
        "context.cut",
        ((("evidence", "recent"), {"recent"}), (("recent", "evidence"), {"evidence"})),
        parts("evidence", "recent"),
        {
            **ANY_SCORE,
            "context.total": 150,
            "context.sections": {"evidence": 150, "recent": 150, "core": 0},
        },
    ),
    Case("context.recent_turns", ((4, 8), (6, 12)), shown_turns),
    Case("short_term.recent_limit", ((4, 4), (6, 6)), shown_turns),
    Case("short_term.max_messages", ((4, 4), (200, 24)), shown_turns),
    Case(
        "short_term.compact_share",
        ((0.5, 10), (0.9, 3)),
        shown_turns,
        {"short_term.max_messages": 10},
    ),
    Case("tools.results", ((2, 2), (4, 4)), searched),
    *(
        Case(
            f"decay.{name}.half_life",
            (("30d", 0.5), ("never", 1.0)),
            faded(kind),
            {**FADING, f"decay.{name}.floor": 0.0},
        )
        for name, kind in (("slow", "skill"), ("medium", "fact"), ("fast", "temp"))
    ),
    *(
        Case(
            f"decay.{name}.floor",
            ((0.0, 0.5), (0.4, 0.7)),
            faded(kind),
            {**FADING, f"decay.{name}.half_life": "30d"},
        )
        for name, kind in (("slow", "skill"), ("medium", "fact"), ("fast", "temp"))
    ),
    Case(
        "decay.kinds.<name>",
        (({"fact": "medium"}, 0.55), ({"fact": "never"}, 1.0)),
        faded("fact"),
        FADING,
    ),
]


VECTORS = {"tea": (1.0, 0.0, 0.0), "matcha": (0.9, 0.436, 0.0), "cup": (0.8, 0.6, 0.0)}


@pytest.mark.setting("recall.text_candidates", "recall.vector_candidates")
@pytest.mark.parametrize(
    ("words", "near", "found"),
    [(1, 1, "tea, tea"), (9, 1, "some cups of tea"), (1, 9, "some cups of tea")],
)
def test_candidates_of_words_beside_vectors(
    open_mind: OpenMind, server: Scripted, words: int, near: int, found: str
) -> None:
    """The most important one is neither the first by words nor the nearest."""
    server.always(meaning(VECTORS))
    candidates = {"text_candidates": words, "vector_candidates": near}
    mind = open_mind(":memory:", recall=candidates, **remote(server), **BY_IMPORTANCE)
    mind.remember("tea, tea", kind="fact", importance=0.1)
    mind.remember("some cups of tea", kind="fact", importance=0.9)
    mind.drain()
    assert mind.recall("tea", limit=1)[0].text == found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_it_changes_what_happens(case: Case, open_mind: OpenMind, tmp_path: Path) -> None:
    check(case, open_mind, tmp_path)

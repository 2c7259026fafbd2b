"""Filters of recall: nothing outside ever comes back, whichever route would have found it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind

SESSIONS, SPEAKERS = ("a", "b", "c"), ("Ann", "Bob", "")
PROJECTS, TOPICS = ("claw", "house"), ("food", "travel")
BATCHES = ("red", "3", "茶")
KINDS, TRUSTS = ("fact", "preference", "event"), ("owner", "tool", "external")
QUERIES = (
    "tea",
    "green tea with Ann yesterday",
    "when did I last drink tea",
    "how many times did I drink tea",
    "the tea picture I sent",
    "昨天喝了什么茶",
    "claw",
    "上周三",
)


@dataclass(frozen=True)
class Known:
    """What a filter may ask of one record."""

    type: str
    at: datetime
    session: str = ""
    project: str = ""
    topic: str = ""
    kind: str = ""
    speaker: str = ""
    trust: str = ""
    until: datetime | None = None
    metadata: str = ""


@pytest.fixture(scope="module", params=["none", "local"])
def world(request: pytest.FixtureRequest) -> Iterator[tuple[Mind, dict[str, Known]]]:
    """Turns, memories and files over twelve days, in sessions of two projects and of none."""
    clock = ManualClock(NOON - timedelta(days=12))
    mind = mnemic.open(":memory:", worker="none", clock=clock, embedding__provider=request.param)
    known: dict[str, Known] = {}
    for session, project, topic in zip(SESSIONS, (*PROJECTS, ""), (*TOPICS, ""), strict=True):
        mind.session(session, project=project, topic=topic)
    belongs = dict(zip(SESSIONS, zip((*PROJECTS, ""), (*TOPICS, ""), strict=True), strict=True))
    previous = ""
    for n in range(48):
        clock.advance(hours=6)
        session, speaker = SESSIONS[n % 3], SPEAKERS[n % 2]
        role = ("user", "assistant", "tool")[n % 5 % 3]
        project, topic = belongs[session]
        turn = mind.record(
            session=session,
            role=role,  # type: ignore[arg-type]
            text=f"green tea number {n} 喝茶",
            sender=speaker,
            metadata={"batch": BATCHES[n % 3], "odd": n % 2 == 1},
        )
        known[turn.id] = Known(
            "turn", clock.now(), session, project, topic, "", speaker, turn.trust,
            metadata=BATCHES[n % 3],
        )  # fmt: skip
        if n % 4 == 0:
            kept = mind.attach(f"/in/{n}.jpg", session=session, description="a picture of tea")
            known[kept.id] = Known("attachment", clock.now(), session, project, topic)
        if n % 2 == 0:
            of: dict[str, Any] = {"project": PROJECTS[n // 2 % 2], "topic": TOPICS[n // 4 % 2]}
            kind, trust = KINDS[n // 2 % 3], TRUSTS[n // 6 % 3]
            memory = mind.remember(
                f"drinks tea {n} 茶",
                kind=kind,
                trust=trust,  # type: ignore[arg-type]
                sources=[turn.id],
                supersedes=previous or None,
                metadata={"batch": BATCHES[n % 3]},
                **of,
            )
            if previous:
                old = known[previous]
                known[previous] = Known(**{**old.__dict__, "until": clock.now()})
            known[memory.id] = Known("memory", clock.now(), session, **of, kind=kind, trust=trust,
                                     metadata=BATCHES[n % 3])  # fmt: skip
            previous = memory.id if n % 8 == 0 else ""
    clock.set(NOON)
    mind.drain()
    # Two people speak as the user of one session, so nobody there is the owner: that is known only
    # once the second has spoken.
    for turn in mind.turns(limit=1_000):
        known[turn.id] = Known(**{**known[turn.id].__dict__, "trust": turn.trust})
    yield mind, known
    mind.close()


MOMENTS = st.integers(-13 * 24, 24).map(lambda hours: NOON + timedelta(hours=hours))
FILTERS: dict[str, st.SearchStrategy[Any]] = {
    "of": st.sets(st.sampled_from(["turn", "memory", "attachment", "episode"]), min_size=1),
    "session": st.sampled_from([*SESSIONS, "nobody"]),
    "project": st.sampled_from([*PROJECTS, "nothing"]),
    "topic": st.sampled_from(TOPICS),
    "kind": st.sampled_from(KINDS),
    "speaker": st.sampled_from(["Ann", "Bob", "Eve"]),
    "trust": st.sampled_from(["owner", "agent", "tool", "external"]),
    "since": MOMENTS,
    "until": MOMENTS,
    "as_of": MOMENTS,
    "metadata": st.sampled_from([*BATCHES, "none"]).map(lambda batch: {"batch": batch}),
}


def is_allowed(record: Known, wanted: dict[str, Any]) -> bool:
    as_of = wanted.get("as_of")
    seen = as_of or NOON
    return (
        record.type in wanted.get("of", {record.type})
        and all(
            getattr(record, name) == wanted[name]
            for name in ("session", "project", "topic", "kind", "speaker", "trust")
            if name in wanted
        )
        and record.metadata == wanted.get("metadata", {}).get("batch", record.metadata)
        and not ("since" in wanted and record.at < wanted["since"])
        and not ("until" in wanted and record.at >= wanted["until"])
        and not (as_of and record.at > as_of)
        and not (record.until and record.until <= seen)
    )


def test_nothing_outside_the_filter_comes_back(world: tuple[Mind, dict[str, Known]]) -> None:
    mind, known = world

    @given(
        st.sampled_from(QUERIES), st.fixed_dictionaries({}, optional=FILTERS), st.integers(1, 80)
    )
    @settings(max_examples=120)
    def holds(query: str, wanted: dict[str, Any], k: int) -> None:
        hits = mind.recall(query, limit=k, **wanted)
        assert len(hits) <= k
        assert len({hit.id for hit in hits}) == len(hits)
        for hit in hits:
            assert is_allowed(known[hit.id], wanted), (hit.type, hit.text, wanted)

    holds()
    assert mind.events(type="retrieval_fail") == []


def test_everything_inside_the_filter_comes_back(world: tuple[Mind, dict[str, Known]]) -> None:
    mind, known = world

    @given(st.fixed_dictionaries({}, optional=FILTERS))
    @settings(max_examples=60)
    def holds(wanted: dict[str, Any]) -> None:
        found = {hit.id for hit in mind.recall("tea", limit=200, **wanted)}
        expected = {id_ for id_, record in known.items() if is_allowed(record, wanted)}
        assert found == expected, [known[i] for i in expected - found]

    holds()


class TestVersions:
    def test_the_past_is_answered_with_what_was_known_then(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        mind = open_mind()
        old = mind.remember("works at Acme", kind="fact")
        clock.advance(days=10)
        new = mind.remember("works at Globex", kind="fact", supersedes=old.id)
        clock.advance(days=10)
        mind.record(session="s", role="user", text="hello")
        mind.drain()

        def found(**wanted: Any) -> list[str]:
            return [hit.text for hit in mind.recall("works at", of=["memory"], **wanted)]

        assert found() == ["works at Globex"]
        assert found(as_of=NOON + timedelta(days=5)) == ["works at Acme"]
        assert found(as_of=mind.get(new.id).created_at) == ["works at Globex"]
        assert found(as_of=NOON - timedelta(days=1)) == []

    @pytest.mark.statement("A27")
    @pytest.mark.parametrize("provider", ["none", "local"])
    @pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
    def test_what_has_expired_never_comes_back(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, provider: str
    ) -> None:
        mind = open_mind(preset=preset, embedding__provider=provider)
        mind.remember("parking spot 1234", kind="temp", expires_at=NOON + timedelta(days=1))
        mind.remember("parking is behind the house", kind="fact")
        mind.record(session="s", role="user", text="hello")
        mind.drain()
        texts = {hit.text for hit in mind.recall("parking spot", of=["memory"])}
        assert "parking spot 1234" in texts
        clock.advance(days=1)
        for query in ("parking spot", "parking spot 1234", "how many parking spots", "yesterday"):
            texts = {hit.text for hit in mind.recall(query, of=["memory"], limit=50)}
            assert "parking spot 1234" not in texts
        past = mind.recall("parking spot", of=["memory"], as_of=NOON)
        assert "parking spot 1234" in {hit.text for hit in past}

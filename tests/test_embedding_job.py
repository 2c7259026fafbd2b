"""Vectors are made in the background: waited for by nobody, paid for once, never mixed."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from tests import inside
from tests.conftest import NOON, OpenMind, usual_target
from tests.providers.scripted import Line, Scripted, status
from tests.remote import asked_for, meaning, remote, server, vectors

__all__ = ["server"]

KNOWN = {"cat": (1.0, 0.0, 0.0), "kitten": (0.9, 0.1, 0.0), "tax": (0.0, 1.0, 0.0)}


def tell(mind: Mind, *contents: str) -> None:
    for content in contents:
        mind.record(session=content[:20], role="user", text=content)


def by_vector(mind: Mind, query: str) -> list[str]:
    hits = mind.recall(query, of=["memory", "turn"], min_score=0.0)
    return [hit.text for hit in hits if "vector" in hit.why.routes]


def test_what_was_kept_without_vectors_gets_them_by_a_drain(tmp_path: Path) -> None:
    """In a database for many as well, whose spaces a worker would see to later."""
    with mnemic.open(tmp_path / "m.db", embedding={"provider": "none"}, worker="none") as mind:
        mind.remember("likes tea", kind="preference")
    with mnemic.connect(tmp_path / "m.db", worker="none") as engine:
        mind = engine.mind()
        assert mind.stats().unembedded == 1
        mind.drain()
        assert mind.stats().unembedded == 0


def test_a_model_that_is_switched_off_leaves_no_failed_jobs(open_mind: OpenMind) -> None:
    mind = open_mind()
    tell(mind, "the cat sleeps")
    assert mind.stats().jobs_ready
    mind.close()
    off = open_mind(embedding={"provider": "none"})
    off.drain()
    assert off.stats().jobs_dead == 0
    off.close()
    again = open_mind()
    again.drain()
    assert again.stats().unembedded == 0


def rows(tmp_path: Path, query: str) -> list[tuple[Any, ...]]:
    """What stands there."""
    return inside.rows(usual_target(tmp_path), query)


def dimensions(tmp_path: Path) -> set[int]:
    """How many numbers the stored vectors have."""
    target = usual_target(tmp_path)
    size = "vector_dims(vector)" if isinstance(target, str) else "length(vector) / 4"
    return {row[0] for row in inside.rows(target, f"SELECT DISTINCT {size} FROM vectors")}


@pytest.mark.feature("R3")
def test_by_words_at_once_and_by_meaning_soon(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server))
    tell(mind, "a kitten at home", "tax is due")
    assert server.asked == [], "nobody waits for a server"
    assert mind.recall("kitten")[0].text == "a kitten at home"
    assert by_vector(mind, "my cat") == []
    assert mind.drain().done >= 1
    (best, *_) = by_vector(mind, "my cat")
    assert best == "a kitten at home"
    (hit, *_) = mind.recall("my cat", min_score=0.0)
    assert hit.why.terms == ()
    assert hit.why.parts["meaning"] > 0


@pytest.mark.parametrize("provider", ["openai", "dashscope"])
def test_a_dead_server_is_waited_for_with_the_reason(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, provider: str
) -> None:
    server.always(status(503, "overloaded"))
    mind = open_mind(**remote(server, provider=provider), triggers__quiet_gap="never")
    tell(mind, "a kitten at home")
    for wait in (30, 60, 120, 240):
        assert mind.drain().retried == 1
        (job,) = mind.jobs()
        assert (job.kind, job.state, job.attempts) == ("embed", "ready", 0)
        assert job.run_at == clock.now() + timedelta(seconds=wait)
        assert "503" in job.error
        asked = len(server.asked)
        mind.drain()
        assert len(server.asked) == asked, "not before its time"
        clock.advance(seconds=wait)
    assert mind.drain().dead == 0
    (job,) = mind.jobs()
    assert "ModelUnavailable" in job.error
    assert "overloaded" in job.error
    assert mind.stats().jobs_dead == 0
    assert mind.recall("kitten")[0].text == "a kitten at home"
    server.always(meaning(KNOWN))
    assert mind.redrive() == 1
    clock.advance(minutes=15)  # a server that is down is left alone for a while
    assert mind.drain().done == 1
    assert mind.jobs() == []
    assert by_vector(mind, "my cat") == ["a kitten at home"]


def test_too_many_requests_are_tried_again(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    server.then(status(429, "slow down", retry_after="20")).always(meaning(KNOWN))
    mind = open_mind(**remote(server), triggers__quiet_gap="never")
    tell(mind, "a kitten at home")
    assert mind.drain().retried == 1
    (job,) = mind.jobs()
    assert "ModelRateLimited" in job.error
    assert "slow down" in job.error
    assert job.run_at >= NOON + timedelta(seconds=20)
    clock.set(job.run_at)
    assert mind.drain().done == 1
    assert by_vector(mind, "my cat") == ["a kitten at home"]


def test_the_wait_a_server_asks_for_is_kept(open_mind: OpenMind, server: Scripted) -> None:
    server.then(status(429, retry_after="300"))
    mind = open_mind(**remote(server), triggers__quiet_gap="never")
    tell(mind, "a kitten at home")
    mind.drain()
    (job,) = mind.jobs()
    assert job.run_at >= NOON + timedelta(seconds=300)


HOSTILE: dict[str, Any] = {
    "not a number": [float("nan"), 0.0, 0.0],
    "infinite": [float("inf"), 0.0, 0.0],
    "longer": [1.0, 0.0, 0.0, 0.0],
    "shorter": [1.0, 0.0],
    "text": ["1", "0", "0"],
    "empty": [],
    "zeros": [0.0, 0.0, 0.0],
}


@pytest.mark.parametrize(
    "case", [*((how, "") for how in HOSTILE), ("longer", "restarted"), ("shorter", "restarted")]
)
def test_a_hostile_vector_is_refused_whole(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, tmp_path: Path, case: tuple[str, str]
) -> None:
    vector, restarted = HOSTILE[case[0]], bool(case[1])
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server), triggers__quiet_gap="never")
    tell(mind, "a kitten at home")
    mind.drain()
    if restarted:
        mind.close()
        mind = open_mind(**remote(server), triggers__quiet_gap="never")
    before = rows(tmp_path, "SELECT doc, part, vector FROM vectors")
    tell(mind, "tax is due", "another cat")
    good = list(KNOWN["tax"])
    server.always(vectors(lambda texts: [good, vector] if len(texts) == 2 else [vector]))
    assert mind.drain().retried == 1
    (job,) = mind.jobs()
    assert job.error.startswith("BadVector: ")
    assert rows(tmp_path, "SELECT doc, part, vector FROM vectors") == before
    cached = rows(tmp_path, "SELECT DISTINCT length(vector) FROM embedding_cache")
    assert cached == [(12,)]
    server.always(meaning(KNOWN))
    if restarted:
        mind.close()
        mind = open_mind(**remote(server), triggers__quiet_gap="never")
    clock.advance(hours=2)
    assert mind.drain().done == 1
    assert by_vector(mind, "tax")[0] == "tax is due"


@pytest.mark.feature("X9", preset=["openakita", "semibot"])
@pytest.mark.parametrize("preset", ["openakita", "semibot"])
def test_what_was_answered_is_not_asked_for_again(
    open_mind: OpenMind, server: Scripted, preset: str
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(preset=preset, **remote(server))
    tell(mind, "a kitten at home", "tax is due")
    mind.drain()
    assert sorted(asked_for(server)) == ["a kitten at home", "tax is due"]
    mind.close()
    mind = open_mind(preset=preset, **remote(server))
    mind.record(session="again", role="user", text="a kitten at home")
    mind.record(session="again", role="user", text="something new")
    mind.remember("tax is due", kind="fact")
    mind.drain()
    assert asked_for(server)[2:] == ["something new"], "the rest is in the database"
    assert len(by_vector(mind, "kitten")) >= 2


@pytest.mark.setting("embedding.cache_entries")
def test_a_query_is_asked_for_once(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server, cache_entries=1000))
    tell(mind, "a kitten at home")
    mind.drain()
    for _ in range(3):
        mind.recall("my cat", min_score=0.0)
    assert asked_for(server) == ["a kitten at home", "my cat"]


def test_the_cache_is_keyed_by_content(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server))
    tell(mind, "a kitten at home")
    mind.drain()
    ((hash_,),) = rows(tmp_path, "SELECT hash FROM embedding_cache")
    assert hash_ == hashlib.sha256(b"a kitten at home").digest()


# For the new one a cat is what tax was for the old one: mixed up, they would answer wrongly.
NEW = {"cat": (0.0, 1.0, 0.0, 0.0), "kitten": (0.0, 0.9, 0.1, 0.0), "tax": (0.0, 0.0, 0.0, 1.0)}


def two_models(line: Line) -> None:
    """The model "old" knows the words one way, every other model another way."""
    of_old = meaning(KNOWN)
    of_new = meaning({**NEW, "": (0.0, 0.0, 1.0, 0.0)})
    (of_old if line.asked.json["model"] == "old" else of_new)(line)


@pytest.mark.feature("R3")
def test_old_vectors_answer_until_another_embedder_has_taken_over(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(two_models)
    mind = open_mind(**remote(server, "old"))
    tell(mind, "a kitten at home", "tax is due")
    mind.drain()
    mind.close()
    mind = open_mind(**remote(server, "new"))
    server.asked.clear()
    assert by_vector(mind, "my cat")[0] == "a kitten at home"
    assert [asked.json["model"] for asked in server.asked] == ["old"], "asked by the old one"
    assert mind.events(type="retrieval_fail") == []
    assert dimensions(tmp_path) == {3}, "the old ones stay until the new ones are there"
    assert mind.drain().done == 1, "opening asked for them"
    server.asked.clear()
    assert by_vector(mind, "my cat")[0] == "a kitten at home"
    assert [asked.json["model"] for asked in server.asked] == ["new"]
    assert dimensions(tmp_path) == {4}
    assert rows(tmp_path, "SELECT count(DISTINCT embedder) FROM vectors") == [(1,)]
    assert rows(tmp_path, "SELECT count(DISTINCT embedder) FROM embedding_cache") == [(1,)]


@pytest.mark.feature("R3")
def test_whoever_covers_more_answers_while_the_new_vectors_are_made(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    server.always(two_models)
    many = [f"remark {n} on the weather" for n in range(600)]
    mind = open_mind(**remote(server, "old", batch=256), triggers__quiet_gap="never")
    mind.record_many(NewTurn("s", "user", said) for said in ("a kitten at home", *many))
    mind.drain()
    assert mind.stats().unembedded == 0
    mind.close()
    mind = open_mind(**remote(server, "new", batch=256), triggers__quiet_gap="never")
    assert mind.stats().unembedded == 601
    # Batches of 256 records: the server gives up in the middle of the new vectors, twice.
    for left, answers in ((345, "old"), (89, "old"), (0, "new")):
        server.then(two_models, *([status(500)] if left else []))
        mind.drain()
        assert mind.stats().unembedded == left
        server.asked.clear()
        server.then(two_models)
        assert by_vector(mind, "my cat")[0] == "a kitten at home"
        assert server.asked[-1].json["model"] == answers
        clock.advance(hours=2)


def test_an_embedder_that_cannot_be_made_again_leaves_the_words_and_an_event(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(two_models)
    mind = open_mind(**remote(server, "old"))
    tell(mind, "a kitten at home", "tax is due")
    mind.drain()
    mind.close()
    mind = open_mind(embedding__provider="local")
    for _ in range(3):
        assert mind.recall("kitten")[0].text == "a kitten at home", "words answer"
    assert by_vector(mind, "my cat") == []
    (event,) = mind.events(type="retrieval_fail")
    assert "openai-old" in str(event.payload["error"]), "said once"
    mind.drain()
    assert by_vector(mind, "my cat") != []
    assert dimensions(tmp_path) == {128}


def test_the_local_vectors_answer_until_a_server_has_made_others(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(embedding__provider="local")
    tell(mind, "a kitten at home", "tax is due", "猫在家里")
    mind.drain()
    mind.close()
    mind = open_mind(**remote(server))
    assert by_vector(mind, "the little cats")[0] == "a kitten at home"
    assert by_vector(mind, "我的小猫")[0] == "猫在家里"
    assert server.asked == []
    mind.drain()
    assert by_vector(mind, "my cat")[0] == "a kitten at home"
    assert asked_for(server)[-1] == "my cat"


def test_the_old_vectors_stay_while_the_new_embedder_is_down(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server, "old"))
    tell(mind, "a kitten at home")
    mind.drain()
    mind.close()
    server.always(status(500))
    mind = open_mind(**remote(server, "new"))
    mind.drain()
    mind.close()
    assert rows(tmp_path, "SELECT count(*) FROM vectors") == [(1,)]
    server.always(meaning(KNOWN))
    assert by_vector(open_mind(**remote(server, "old")), "my cat") == ["a kitten at home"]


def test_opening_again_asks_for_nothing_when_all_is_done(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server), triggers__quiet_gap="never")
    assert mind.jobs() == []
    tell(mind, "a kitten at home")
    mind.drain()
    mind.close()
    assert open_mind(**remote(server), triggers__quiet_gap="never").jobs() == []


@pytest.mark.feature("L6", preset="openakita")
def test_a_file_described_later_is_embedded_again(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(preset="openakita", **remote(server))
    tell(mind, "tax is due")
    kept = mind.attach("/in/1.jpg", description="tax form")
    mind.drain()
    assert [hit.id for hit in mind.recall("cat", of=["attachment"])] == [kept.id]
    before = rows(tmp_path, "SELECT vector FROM vectors ORDER BY doc DESC LIMIT 1")
    mind.describe_attachment(kept.id, description="a kitten asleep")
    tell(mind, "something else")
    mind.drain()
    assert asked_for(server)[-2:] != [], "both were sent"
    assert any("a kitten asleep" in text for text in asked_for(server))
    assert rows(tmp_path, "SELECT vector FROM vectors ORDER BY doc DESC LIMIT 1") != before
    (hit,) = mind.recall("my cat", of=["attachment"], min_score=0.0)
    assert "vector" in hit.why.routes
    assert hit.why.parts["vector"] > 0.9


@pytest.mark.parametrize("what", ["memory", "attachment", "description"])
def test_whatever_is_written_asks_for_its_vectors(
    open_mind: OpenMind, server: Scripted, what: str
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server))
    kept = mind.attach("/in/1.jpg") if what == "description" else None
    mind.drain()
    if kept is not None:
        tell(mind, "tax is due")
        mind.drain()
        mind.describe_attachment(kept.id, description="a kitten asleep")
    elif what == "memory":
        mind.remember("has a kitten", kind="fact")
    else:
        mind.attach("/in/1.jpg", description="a kitten asleep")
    mind.drain()
    assert any("kitten" in text for text in asked_for(server))


def test_a_long_text_is_found_by_each_of_its_passages(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server))
    filler = "The weather was mild and nothing at all happened on that long afternoon. " * 6
    tell(mind, f"{filler} Then a kitten came in. {filler}", "tax is due")
    mind.drain()
    assert rows(tmp_path, "SELECT max(part) FROM vectors")[0][0] > 3
    assert "kitten" in by_vector(mind, "my cat")[0]
    longest = max(len(text) for text in asked_for(server))
    assert longest <= 1_000, "no passage, and no whole, is longer"


def test_speakers_are_told_to_a_sentence_model(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(KNOWN))
    mind = open_mind(**remote(server))
    mind.record(session="s", role="user", text="a kitten at home", sender="Ann")
    mind.drain()
    assert asked_for(server) == ["Ann: a kitten at home"]

"""Promise 6: one owner never sees another's rows.

Two spaces do random things to one store, each also using every id it can learn of the other. Then
each space must look exactly as it does in a store where the other never was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.errors import Conflict, NotFound
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import MemoryFilter, QueryTerm, Scope, Transcript, TurnFilter
from mnemic.types import RECORD_TYPES, DailyEvent, RecordType, SafeName, ToolCall, constant
from tests.conftest import NOON
from tests.contract.backends import Backend
from tests.contract.rows import after, attach, attachment, keep, memory, turn

SPACES = ("ann", "bob")
SESSIONS = ("s", "t")
WORDS = ("tea", "coffee", "茶")

Step = Callable[[Unit, int], None]


def uid(space: str, number: int) -> str:
    """An id that both runs give to the same row."""
    return f"{space}-{number}"


def _append(space: str, session: str, word: str, place: int | None) -> Step:
    def step(unit: Unit, n: int) -> None:
        row = turn(
            f"{space} {word}",
            session=session,
            index=place,
            at=after(minutes=n),
            calls=(ToolCall("ls", {"of": space}),),
            sender=space,
            id_=uid(space, n),
        )
        unit.ledger.append([row])

    return step


def _remember(space: str, word: str, source: int, foreign: int) -> Step:
    other = SPACES[1 - SPACES.index(space)]

    def step(unit: Unit, n: int) -> None:
        told = (uid(space, source), uid(other, foreign))
        keep(unit, memory(f"{space} {word}", id_=uid(space, n), sources=told, at=after(minutes=n)))

    return step


def _supersede(old: str, new: str) -> Step:
    return lambda unit, n: unit.memories.supersede(constant(old), constant(new), after(minutes=n))


def _attach(space: str, word: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        attach(unit, attachment(f"{word}.png", id=uid(space, n), description=space), word)

    return step


def _describe(id_: str, word: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        found = unit.attachments.by_id([id_])
        new = attachment(id=id_, description=word)
        if found:
            new = replace(new, filename=found[0].filename)
        unit.attachments.replace(new, constant(word))

    return step


def _event(space: str, operation: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        unit.journal.add_event(
            "write",
            operation_id=constant(operation),
            subject=constant("m"),
            payload={"by": constant(space)},
            at=after(minutes=n),
        )
        unit.journal.add_usage(
            purpose=constant("p"),
            model=constant("m"),
            input_tokens=1,
            output_tokens=n,
            cost=None,
            at=after(minutes=n),
        )
        unit.journal.add_daily_event(
            DailyEvent(
                constant(uid(space, n)),
                date(2026, 2, 12),
                constant(""),
                constant(space),
                constant(space),
                n,
                False,
                NOON,
            )
        )

    return step


def _job(space: str, key: str) -> Step:
    return lambda unit, n: unit.tasks.enqueue(
        "work",
        {constant(key): {"by": constant(space)}},
        run_at=after(minutes=n),
        now=NOON,
        max_attempts=3,
    )


def _mark(session: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        unit.ledger.mark_digested(constant(session))
        unit.ledger.mark_transcribed(Transcript(constant(session), n, after(minutes=n)))

    return step


def _settle(ids: list[SafeName]) -> Step:
    return lambda unit, n: unit.ledger.set_state(ids, "failed", constant(f"by {n}"))


def _session(session: str, space: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        unit.ledger.open_session(constant(session), constant(space), constant(""), after(minutes=n))
        unit.ledger.end_session(constant(session), after(minutes=n))
        unit.ledger.drop_transcript(constant(session))

    return step


def _reindex(id_: str, word: str) -> Step:
    def step(unit: Unit, n: int) -> None:
        for type_ in RECORD_TYPES:
            unit.text.put(type_, {id_: constant(word)})
        unit.tasks.redrive([id_], NOON)
        unit.tasks.discard([id_])

    return step


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, Step]:
    """Something one space does, perhaps with an id of the other."""
    space = draw(st.sampled_from(SPACES))
    number = st.integers(0, 12)
    anyone = st.builds(uid, st.sampled_from(SPACES), number).map(constant)
    session, word = draw(st.sampled_from(SESSIONS)), draw(st.sampled_from(WORDS))
    place = draw(st.none() | st.integers(0, 3))
    return space, draw(
        st.sampled_from(
            [
                _append(space, session, word, place),
                _append(space, session, word, None),
                _remember(space, word, draw(number), draw(number)),
                _supersede(draw(anyone), draw(anyone)),
                _attach(space, word),
                _describe(draw(anyone), word),
                _event(space, draw(st.sampled_from(["op", "other"]))),
                _job(space, session),
                _mark(session),
                _settle([constant(draw(anyone)), constant(draw(anyone))]),
                _session(session, space),
                _reindex(draw(anyone), word),
            ]
        )
    )


def do(store: Store, script: list[tuple[str, Step]], only: str | None) -> None:
    for number, (space, step) in enumerate(script):
        if only in (None, space):
            try:
                with store.write(space) as unit:
                    step(unit, number)
            except (Conflict, NotFound):
                pass  # the same in both runs, or the pictures differ


def search(unit: Unit, word: str) -> list[tuple[RecordType, str]]:
    scope = Scope(types=RECORD_TYPES, now=after(days=1))
    found = unit.text.search([QueryTerm(word, 1.0)], scope, 99)
    return list(unit.text.records([match.doc for match in found.matches]).values())


def look(store: Store, space: str) -> dict[str, Any]:
    """Everything a space can show, without the ids that only the store gives."""
    everyone = [uid(name, number) for name in SPACES for number in range(24)]
    some = [id_ for id_ in everyone if len(id_) == len("ann-0")]
    with store.read(space) as unit:
        return {
            "sessions": sorted(unit.ledger.sessions(99, 0), key=lambda s: s.id),
            "turns": unit.ledger.turns(TurnFilter()),
            "by tool": unit.ledger.turns(TurnFilter(tool=constant("ls"), role="user", state="new")),
            "by session": [unit.ledger.turns(TurnFilter(session=constant(s))) for s in SESSIONS],
            "by project": [unit.ledger.turns(TurnFilter(project=constant(s))) for s in SPACES],
            "turns by id": unit.ledger.turns_by_id(everyone),
            "undigested": [unit.ledger.list_undigested(constant(s)) for s in SESSIONS],
            "untranscribed": [unit.ledger.list_untranscribed(constant(s)) for s in SESSIONS],
            "transcripts": sorted(unit.ledger.old_transcripts(after(days=1)), key=str),
            "memories": unit.memories.find(MemoryFilter(holds_at=NOON)),
            "memories by id": unit.memories.by_id(everyone),
            "chains": [unit.memories.chain(id_) for id_ in some],
            "attachments": unit.attachments.latest(session=None, direction=None, limit=99),
            "attachments by id": unit.attachments.by_id(everyone),
            "by path": [
                unit.attachments.by_path(constant("s"), constant(f"/tmp/{word}.png"))
                for word in WORDS
            ],
            "events": sorted((e.subject, e.at, str(e.payload)) for e in unit.journal.events()),
            "operation": [(e.at, e.payload) for e in unit.journal.operation(constant("op"))],
            "daily": unit.journal.daily_events(None, 99),
            "usage": unit.journal.usage(None),
            "jobs": [(j.key, j.payload, j.run_at) for j in unit.tasks.list_unfinished(None, 99)],
            "found": [sorted(search(unit, word)) for word in (*WORDS, *SPACES)],
            "unindexed": [unit.text.list_unindexed(type_, 99) for type_ in RECORD_TYPES],
            "stats": replace(store.stats(space), file_bytes=0),
            "checks": [f.ok for f in store.check(space, deep=False)],
        }


@pytest.mark.feature("O5")
def test_two_spaces_never_see_each_other(backend: Backend) -> None:
    @given(script=st.lists(acts(), min_size=4, max_size=24))
    @settings(max_examples=backend.examples)
    def holds(script: list[tuple[str, Step]]) -> None:
        with backend.fresh() as shared:
            do(shared, script, only=None)
            seen = {space: look(shared, space) for space in SPACES}
            nobody = look(shared, "carol")
        assert not any(nobody["turns by id"] + nobody["memories by id"] + nobody["jobs"])
        for space in SPACES:
            with backend.fresh() as alone:
                do(alone, script, only=space)
                expected = look(alone, space)
                assert nobody == look(alone, "carol")
            for what, value in expected.items():
                assert seen[space][what] == value, f"{space}: {what}"

    holds()


@pytest.mark.feature("O5")
def test_every_row_carries_its_owner(backend: Backend) -> None:
    """The same names, keys and operations are free in every space."""
    spaces = [f"用户 {number}" for number in range(20)]
    with backend.fresh() as store:
        for space in spaces:
            with store.write(space) as unit:
                unit.ledger.append([turn(f"tea of {space}", index=0)])
                unit.journal.add_event(
                    "write", operation_id=constant("op"), subject=constant("m"), payload={}, at=NOON
                )
        assert store.spaces() == spaces
        for space in spaces:
            with store.read(space) as unit:
                assert [t.text for t in unit.ledger.turns(TurnFilter())] == [f"tea of {space}"]
                assert len(unit.journal.operation(constant("op"))) == 1


@pytest.mark.feature("O5")
def test_the_numbers_of_another_space_lead_nowhere(backend: Backend) -> None:
    """Documents and sessions have numbers inside the store; a space's own lead only to its own."""
    with backend.fresh() as store:
        with store.write("ann") as unit:
            unit.ledger.append([turn("tea"), turn("more tea")])
            keep(unit, memory("tea"))
            attach(unit, attachment(), "tea")
            scope = Scope(types=RECORD_TYPES, now=NOON)
            found = unit.text.search([QueryTerm("tea", 1.0)], scope, 9)
            docs = [match.doc for match in found.matches]
            places = unit.ledger.places_around(docs, 1)
            assert sorted(unit.ledger.places(docs)) == sorted(set(places)), "turns only"
            assert (len(docs), len({place.doc for place in places})) == (4, 2)
            assert {place.text for place in places} == {"tea", "more tea"}
        for other in ("bob", "carol"):
            if other == "bob":
                with store.write(other) as unit:
                    unit.ledger.append([turn("coffee")])
            with store.read(other) as unit:
                assert unit.ledger.places_around(docs, 9) == []
                assert unit.ledger.places(docs) == []
                assert unit.text.records(docs) == {}
                assert unit.text.in_scope(docs, scope) == []
                assert set(unit.text.few(replace(scope, since=NOON)) or ()).isdisjoint(docs)
                assert set(unit.text.latest(scope, 99)).isdisjoint(docs)
                assert set(unit.ledger.latest_docs(99)).isdisjoint(docs)

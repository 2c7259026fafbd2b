"""The text index: what is written is found, what is gone is not, and it can be built again."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from mnemic.store.contract import Store
from mnemic.store.rows import QueryTerm, Scope, TextMatches
from mnemic.types import RECORD_TYPES, RecordType, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, attach, attachment, keep, memory, turn


class Match(NamedTuple):
    type: RecordType
    id: str
    score: float
    terms: tuple[str, ...]


def search(
    store: Store,
    words: str,
    *,
    of: tuple[RecordType, ...] = ("turn",),
    space: str = SPACE,
    limit: int = 10,
    **scope: Any,
) -> list[Match]:
    terms = [QueryTerm(word, 1.0) for word in words.split()]
    with store.read(space) as unit:
        found = unit.text.search(terms, Scope(types=of, **{"now": NOON, **scope}), limit)
        docs = [match.doc for match in found.matches]
        records, matched = unit.text.records(docs), unit.text.match(found, docs)
        return [Match(*records[doc], score, matched[doc]) for doc, score in scored(found)]


def scored(found: TextMatches) -> list[tuple[int, float]]:
    return [(match.doc, match.score) for match in found.matches]


def ids(store: Store, words: str, **wanted: Any) -> list[str]:
    return [match.id for match in search(store, words, **wanted)]


def test_a_turn_is_found_by_each_of_its_words(store: Store) -> None:
    one, two = turn("green tea"), turn("black coffee")
    append(store, one, two)
    assert ids(store, "tea") == ids(store, "green") == [one.id]
    assert ids(store, "coffee") == [two.id]
    assert sorted(ids(store, "tea coffee")) == sorted([one.id, two.id])
    assert ids(store, "water") == []


def test_no_words_find_nothing(store: Store) -> None:
    append(store, turn("green tea"))
    assert search(store, "") == []


def test_more_and_rarer_words_come_first(store: Store) -> None:
    rows = [turn(f"common filler{n}") for n in range(20)]
    both = turn("common rare")
    append(store, *rows, both)
    matches = search(store, "common rare", limit=50)
    assert matches[0].id == both.id
    assert len(matches) == 21
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert matches[0].score > matches[1].score


def test_a_limit_keeps_the_best(store: Store) -> None:
    append(store, *(turn(f"tea {'x ' * n}") for n in range(1, 20)))
    everything = ids(store, "tea", limit=100)
    assert len(everything) == 19
    assert ids(store, "tea", limit=5) == everything[:5]


@pytest.mark.parametrize(
    "word", ['"', "'", "*", "AND", "NEAR(", "tea*", '"tea"OR', "-tea", "a:b", "^tea", "{x}", "("]
)
def test_no_term_is_query_syntax(store: Store, word: str) -> None:
    append(store, turn("tea"))
    with store.read(SPACE) as unit:
        unit.text.search([QueryTerm(word, 1.0)], Scope(types=("turn",), now=NOON), 10)


def test_types_are_kept_apart(store: Store) -> None:
    said, known, sent = turn("tea"), memory("tea"), attachment()
    append(store, said)
    with store.write(SPACE) as unit:
        keep(unit, known)
        attach(unit, sent, "tea")
    assert ids(store, "tea", of=("turn",)) == [said.id]
    assert ids(store, "tea", of=("memory",)) == [known.id]
    assert ids(store, "tea", of=("attachment",)) == [sent.id]
    assert ids(store, "tea", of=("episode",)) == []
    matches = search(store, "tea", of=("turn", "memory", "episode", "attachment"))
    assert {(m.type, m.id) for m in matches} == {
        ("turn", said.id),
        ("memory", known.id),
        ("attachment", sent.id),
    }


def test_a_search_of_turns_in_a_session_project_or_time(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("a"), constant("myclaw"), constant(""), NOON)
    one = turn("tea", session="a", at=after(hours=1))
    two = turn("tea", session="b", at=after(hours=2))
    append(store, one, two)
    assert ids(store, "tea", session="a") == [one.id]
    assert ids(store, "tea", session="nobody") == []
    assert ids(store, "tea", project="myclaw") == [one.id]
    assert ids(store, "tea", since=after(hours=2)) == [two.id]
    assert ids(store, "tea", until=after(hours=2)) == [one.id]
    assert ids(store, "tea", since=after(hours=3)) == []


def test_a_search_of_memories_in_a_project(store: Store) -> None:
    here, elsewhere = memory("tea", project="myclaw"), memory("tea")
    with store.write(SPACE) as unit:
        keep(unit, here)
        keep(unit, elsewhere)
    assert ids(store, "tea", of=("memory",), project="myclaw") == [here.id]


def test_expired_and_superseded_memories_are_not_found(store: Store) -> None:
    fading = memory("fading tea", expires_at=after(days=1))
    old, new = memory("old tea"), memory("new tea", at=after(hours=1))
    with store.write(SPACE) as unit:
        for row in (fading, old, new):
            keep(unit, row)
        unit.memories.supersede(old.id, new.id, after(hours=1))
    assert sorted(ids(store, "tea", of=("memory",), now=after(hours=2))) == sorted(
        [fading.id, new.id]
    )
    assert ids(store, "tea", of=("memory",), now=after(days=1)) == [new.id]


def test_as_of_finds_what_was_known_then(store: Store) -> None:
    old, new = memory("old tea"), memory("new tea", at=after(days=2))
    with store.write(SPACE) as unit:
        keep(unit, old)
        keep(unit, new)
        unit.memories.supersede(old.id, new.id, after(days=2))
    append(store, turn("tea", at=after(days=2)))
    both: tuple[RecordType, ...] = ("memory", "turn")
    now = after(days=9)
    assert ids(store, "tea", of=both, as_of=after(days=1), now=now) == [old.id]
    assert ids(store, "tea", of=("memory",), as_of=after(days=3), now=now) == [new.id]
    assert ids(store, "tea", of=both, as_of=after(days=-1), now=now) == []


def test_a_described_file_is_found_by_the_new_words_only(store: Store) -> None:
    row = attachment()
    with store.write(SPACE) as unit:
        attach(unit, row, "unknown")
    with store.write(SPACE) as unit:
        unit.attachments.replace(row, constant("cat mat"))
    assert ids(store, "cat", of=("attachment",)) == [row.id]
    assert ids(store, "unknown", of=("attachment",)) == []


def test_what_is_written_is_indexed(store: Store) -> None:
    append(store, turn("tea"))
    with store.write(SPACE) as unit:
        keep(unit, memory())
        attach(unit, attachment())
        for type_ in RECORD_TYPES:
            assert unit.text.list_unindexed(type_, 10) == []


def test_a_cleared_index_is_filled_again_record_by_record(store: Store) -> None:
    rows = [turn(f"tea {n}") for n in range(5)]
    append(store, *rows)
    append(store, turn("tea", session="theirs"), space="other")
    store.clear_text_index()
    assert search(store, "tea") == []
    with store.write(SPACE) as unit:
        assert unit.text.list_unindexed("turn", 10) == [row.id for row in rows]
        first = unit.text.list_unindexed("turn", 2)
        assert first == [row.id for row in rows[:2]]
        for id_ in first:
            unit.text.put("turn", {id_: constant("tea again")})
        assert unit.text.list_unindexed("turn", 10) == [row.id for row in rows[2:]]
        unit.text.put("turn", {"nobody": constant("tea")})
    assert sorted(ids(store, "again")) == sorted(first)
    with store.write("other") as unit:
        assert len(unit.text.list_unindexed("turn", 10)) == 1


def test_putting_twice_leaves_the_last(store: Store) -> None:
    row = turn("tea")
    append(store, row)
    with store.write(SPACE) as unit:
        unit.text.put("turn", {row.id: constant("coffee")})
        unit.text.put("turn", {row.id: constant("water")})
    assert ids(store, "water") == [row.id]
    assert ids(store, "tea") == ids(store, "coffee") == []


def test_one_space_cannot_reindex_the_record_of_another(store: Store) -> None:
    row = turn("tea")
    append(store, row)
    with store.write("other") as unit:
        unit.text.put("turn", {row.id: constant("coffee")})
    assert ids(store, "tea") == [row.id]
    assert ids(store, "coffee") == ids(store, "coffee", space="other") == []


def test_a_match_names_the_words_it_was_found_by(store: Store) -> None:
    append(store, turn("green tea"))
    (match,) = search(store, "tea water green")
    assert set(match.terms) == {"green", "tea"}


def test_further_records_can_be_scored_for_the_same_query(store: Store) -> None:
    rows = [turn("green tea"), turn("tea"), turn("water")]
    append(store, *rows)
    with store.read(SPACE) as unit:
        found = unit.text.search([QueryTerm("tea", 1.0)], Scope(types=("turn",), now=NOON), 1)
        docs = unit.ledger.latest_docs(10)
        scores = dict(zip(docs, unit.text.term_matches(found, docs).scores.tolist(), strict=True))
        records = unit.text.records(docs)
        (best,) = found.matches
    by_id = {records[doc][1]: score for doc, score in scores.items()}
    assert by_id[rows[2].id] == 0.0
    assert min(by_id[rows[0].id], by_id[rows[1].id]) > 0
    assert scores[best.doc] == best.score == max(scores.values())


def test_documents_are_kept_that_the_scope_allows(store: Store) -> None:
    append(store, turn("one", session="a"), turn("two", session="b", at=after(hours=1)))
    with store.read(SPACE) as unit:
        late, early = unit.ledger.latest_docs(10)

        def kept(**scope: Any) -> list[int]:
            return unit.text.in_scope([early, late], Scope(**{"now": NOON, **scope}))

        assert kept(types=("turn",)) == [early, late]
        assert kept(types=("memory",)) == []
        assert kept(types=("turn",), session="a") == [early]
        assert kept(types=("turn",), since=after(hours=1)) == [late]
        assert unit.text.few(Scope(types=("turn",), session=constant("b"), now=NOON)) == [late]
        assert unit.text.few(Scope(types=("turn",), session=constant("nowhere"), now=NOON)) == []
        assert unit.text.few(Scope(types=("turn",), now=NOON)) is None, "nothing narrows it"


def test_a_narrow_scope_of_many_is_not_few(store: Store) -> None:
    append(store, *(turn(f"turn {n}", session="a") for n in range(2_001)))
    with store.read(SPACE) as unit:
        assert unit.text.few(Scope(types=("turn",), session=constant("a"), now=NOON)) is None


def test_a_form_of_a_term_counts_once_and_no_more_than_the_term(store: Store) -> None:
    own, other, both = turn("buy tea"), turn("bought tea"), turn("buy bought tea")
    append(store, own, other, both, *(turn(f"buy filler{n}") for n in range(5)))
    terms = [QueryTerm("buy", 1.0), QueryTerm("bought", 1.0, "buy"), QueryTerm("tea", 1.0)]
    with store.read(SPACE) as unit:
        scope = Scope(types=("turn",), now=NOON)
        found = unit.text.search(terms, scope, 20)
        records = unit.text.records([match.doc for match in found.matches])
        score = {records[match.doc][1]: match.score for match in found.matches}
        again = unit.text.term_matches(found, [match.doc for match in found.matches]).scores
        assert again == pytest.approx([match.score for match in found.matches])
        assert score[own.id] == pytest.approx(score[other.id]) == pytest.approx(score[both.id])
        docs, total = unit.text.holding(terms, scope, 20)
        assert {id_ for _, id_ in unit.text.records(docs).values()} == {own.id, other.id, both.id}
        assert total == 3


def test_the_names_of_speakers(store: Store) -> None:
    append(store, turn("green tea", sender=constant("Ann")), turn("black tea"))
    with store.read(SPACE) as unit:
        assert "Ann" in unit.text.names()
    append(store, turn("green tea", sender=constant("Bob")))
    with store.read(SPACE) as unit:
        assert {"Ann", "Bob"} <= set(unit.text.names())

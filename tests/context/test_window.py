"""Short-term memory: the running conversation, windowed, summed up, rebuilt from the ledger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.language.exchanges import exchanges
from mnemic.language.tokens import count_tokens
from mnemic.record.short_term import ShortTermMemory, Window, turn_tokens
from mnemic.settings import load
from mnemic.settings.recall import ShortTermSettings
from mnemic.store.contract import Store
from mnemic.types import Turn
from tests.context.talks import talks
from tests.contract.backends import BACKENDS
from tests.contract.rows import SPACE, turn

MEMORY = next(backend for backend in BACKENDS if not backend.lasts)


def limits(**given: int | float) -> ShortTermSettings:
    wanted = {f"short_term.{name}": value for name, value in given.items()}
    return load("semibot", env={}, overrides=wanted).short_term


def record(store: Store, count: int, *, start: int = 0, session: str = "s") -> None:
    with store.write(SPACE) as unit:
        unit.ledger.append(
            [
                turn(
                    f"Message {n} is about tea.",
                    session=session,
                    role="user" if n % 2 == 0 else "assistant",
                )
                for n in range(start, start + count)
            ]
        )


def indexes(turns: tuple[Turn, ...]) -> list[int]:
    return [one.index for one in turns]


@pytest.fixture
def store() -> Iterator[Store]:
    with MEMORY.fresh() as opened:
        yield opened


@pytest.mark.feature("M14", preset="semibot")
def test_the_figures_of_the_document(store: Store) -> None:
    """E §4: up to 200 messages as they are; one more, and the first half is summed up."""
    memory = ShortTermMemory(store, SPACE, limits())
    record(store, 200)
    held = memory.window("s", 1_000_000)
    assert (indexes(held.turns), held.summary) == (list(range(200)), "")
    record(store, 1, start=200)
    held = memory.window("s", 1_000_000)
    assert indexes(held.turns) == list(range(100, 201))
    assert held.summary.startswith("Message 0 is about tea.")
    assert "Message 100 " not in held.summary
    assert indexes(memory.recent("s")) == list(range(151, 201))


@pytest.mark.feature("M14", preset="semibot")
def test_a_second_overflow_adds_to_the_earlier_summary(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits())
    record(store, 301)
    held = memory.window("s", 1_000_000)
    assert indexes(held.turns) == list(range(200, 301))
    first, second = held.summary.split("\n\n")
    assert first.startswith("Message 0 ")
    assert second.startswith("Message 100 ")


@pytest.mark.feature("M14", preset="semibot")
def test_the_window_takes_the_newest_that_fit(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits())
    record(store, 60)
    held = memory.window("s", 200)
    assert held.tokens <= 200
    assert indexes(held.turns) == list(range(60 - len(held.turns), 60))
    assert 5 <= len(held.turns) < 60
    assert "Message 0 is about tea." in held.summary, "what does not fit is told in short"
    assert len(memory.window("s", 100_000, messages=20).turns) == 20
    default = memory.window("s")
    assert len(default.turns) == 60


@pytest.mark.feature("M14", preset="semibot")
@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 250, 301, 555])
def test_after_a_restart_it_is_the_same(store: Store, count: int) -> None:
    lived = ShortTermMemory(store, SPACE, limits())
    for start in range(0, count, 7):
        record(store, min(7, count - start), start=start)
        lived.window("s")
    reborn = ShortTermMemory(store, SPACE, limits())
    assert reborn.window("s") == lived.window("s")
    assert reborn.recent("s", 500) == lived.recent("s", 500)


@pytest.mark.feature("M14")
def test_what_another_process_recorded_is_seen(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits())
    record(store, 3)
    assert indexes(memory.recent("s")) == [0, 1, 2]
    record(store, 2, start=3)
    assert indexes(memory.recent("s")) == [0, 1, 2, 3, 4]


def test_a_turn_put_in_between_is_seen(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits())
    with store.write(SPACE) as unit:
        unit.ledger.append([turn("first", index=0), turn("third", index=9)])
    assert [one.text for one in memory.recent("s")] == ["first", "third"]
    with store.write(SPACE) as unit:
        unit.ledger.append([turn("second", index=4)])
    assert [one.text for one in memory.recent("s")] == ["first", "second", "third"]


def test_sessions_do_not_mix_and_an_unknown_one_is_empty(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits())
    record(store, 2, session="a")
    record(store, 3, session="b")
    assert len(memory.recent("a")) == 2
    assert len(memory.recent("b")) == 3
    assert memory.window("nobody") == Window("", (), 0)
    assert ShortTermMemory(store, "another", limits()).recent("a") == ()


def test_a_summarizer_may_be_given_and_a_later_summary_takes_its_place(store: Store) -> None:
    memory = ShortTermMemory(
        store, SPACE, limits(max_messages=10), summarize=lambda turns: f"{len(turns)} turns"
    )
    record(store, 21)
    assert memory.window("s").summary == "5 turns\n\n5 turns\n\n5 turns"
    latest = memory.overflow("s")
    assert latest is not None
    assert [turn.index for turn in latest.turns] == [10, 11, 12, 13, 14]
    memory.set_summary("s", 9, "They talked about tea.")
    assert memory.window("s").summary == "5 turns\n\nThey talked about tea.\n\n5 turns"
    memory.set_summary("s", latest.upto, "Then about cups.")
    memory.set_summary("s", 3, "too late")
    memory.set_summary("nobody", 3, "never known")
    assert memory.overflow("s") is None, "a model has written it"
    assert memory.window("s").summary == "5 turns\n\nThey talked about tea.\n\nThen about cups."
    memory.clear("s")
    assert memory.window("s").summary == "5 turns\n\n5 turns\n\n5 turns"
    memory.clear()
    assert len(memory.recent("s")) == 6


@pytest.mark.setting("short_term.window_tokens")
def test_the_summary_does_not_grow_for_ever(store: Store) -> None:
    memory = ShortTermMemory(store, SPACE, limits(max_messages=20, window_tokens=400))
    record(store, 190)
    held = memory.window("s")
    assert held.tokens <= 400
    assert "Message 0 " not in held.summary
    assert held.turns[-1].index == 189


def test_a_window_of_nothing_is_refused(store: Store) -> None:
    with pytest.raises(InvalidInput, match="window of 0"):
        ShortTermMemory(store, SPACE, limits()).window("s", 0)


@pytest.mark.feature("M14")
@examples(max_examples=MEMORY.examples)
@given(talks(40), st.integers(2, 12), st.floats(0.1, 1), st.integers(1, 600))
def test_tool_calls_keep_their_results_and_the_budget_holds(
    said: list[Turn], most: int, share: float, tokens: int
) -> None:
    with MEMORY.fresh() as store:
        memory = ShortTermMemory(
            store, SPACE, limits(max_messages=most, compact_share=round(share, 3))
        )
        for one in said:
            with store.write(SPACE) as unit:
                unit.ledger.append(
                    [
                        turn(
                            one.text,
                            role=one.role,
                            calls=one.tool_calls,
                            results=one.tool_results,
                        )
                    ]
                )
            if one.index % 5 == 0:
                memory.recent("s")
        held = memory.window("s", tokens)
        assert held.tokens <= tokens
        assert held.tokens == count_tokens(held.summary) + sum(
            turn_tokens(one) for one in held.turns
        )
        everything = memory.window("s", 10**9).turns
        assert len(everything) <= most
        for shown in (held.turns, everything, memory.recent("s", 4)):
            assert indexes(shown) == list(range(len(said) - len(shown), len(said)))
            assert not shown or shown[0].role != "tool"
            if len(shown) < len(everything):
                starts = [group[0].index for group in exchanges(everything)]
                assert not shown or shown[0].index in starts

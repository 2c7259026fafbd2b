"""Bulk adding keeps the meaning of ``remember``, however many memories there are."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from time import process_time

import pytest

from mnemic import Mind, NewMemory
from tests.conftest import OpenMind


@pytest.mark.parametrize("words", [("tea", "milk", "sugar", "lemon"), ("茶", "奶", "糖", "柠檬")])
def test_a_duplicate_is_merged_among_many_statements_of_the_same_words(
    mind: Mind, words: tuple[str, ...]
) -> None:
    orders = [" ".join(order) for order in permutations(words)]
    first = mind.add_many({f"a{n}": NewMemory(text, "fact") for n, text in enumerate(orders)})
    assert (first.added, first.known) == (24, 0)
    again = mind.add_many(
        {f"b{n}": NewMemory(f"{text.title()}.", "fact") for n, text in enumerate(orders)}
    )
    assert (again.added, again.known) == (0, 24)
    assert mind.stats().memories == 24


def test_duplicates_inside_one_call_are_merged(mind: Mind) -> None:
    records = {f"k{n}": NewMemory(f"The kettle is  BLUE{'!' * (n % 2)}", "fact") for n in range(5)}
    assert (mind.add_many(records).known, mind.stats().memories) == (4, 1)
    (memory,) = mind.memories()
    assert memory.confirmations == 4


def test_a_new_value_of_a_slot_takes_the_place_of_the_old_one(mind: Mind) -> None:
    mind.add_many(
        {
            "1": NewMemory("I live in Oslo", "identity", subject="user", predicate="lives_in",
                           value="Oslo", valid_from="2025-01-01"),
            "2": NewMemory("I live in Bergen", "identity", subject="user", predicate="lives_in",
                           value="Bergen", valid_from="2026-01-01"),
        }
    )  # fmt: skip
    assert [memory.value for memory in mind.memories()] == ["Bergen"]
    assert len(mind.memories(status="superseded")) == 1


def test_the_same_answer_in_other_words_is_merged_whenever_it_was_added(mind: Mind) -> None:
    def likes(text: str, value: str, predicate: str = "likes") -> NewMemory:
        about = {"subject": "user", "predicate": predicate}
        return NewMemory(text, "preference", value=value, **about)  # type: ignore[arg-type]

    first = {f"a{n}": likes(f"I like tea no. {n}", f"tea no. {n}") for n in range(30)}
    assert mind.add_many(first).added == 30
    again = {
        "b1": likes("Tea number seven is a favorite", "Tea No. 7"),  # from the call before
        "b2": likes("Juice is fine", "juice"),
        "b3": likes("Nothing beats a juice", "JUICE"),  # from this call
        "b4": likes("I cannot stand tea no. 8", "tea no. 8", "dislikes"),
    }
    added = mind.add_many(again)
    assert (added.added, added.known) == (2, 2)
    (tea,) = [one for one in mind.memories(limit=100) if one.value == "tea no. 7"]
    assert tea.confirmations == 1
    (over,) = mind.memories(status="superseded")
    assert over.value == "tea no. 8"


def test_secrets_are_cut_out_and_each_key_counts_once(mind: Mind) -> None:
    records = {"k": NewMemory("my token is ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "fact")}
    assert mind.add_many(records).added == 1
    assert mind.add_many(records).known == 1
    (memory,) = mind.memories()
    assert "ghp_" not in memory.text


def test_memories_without_a_wording_from_an_older_schema_are_recognized(
    open_mind: OpenMind, mind: Mind
) -> None:
    mind.add_many({"old": NewMemory("我喜欢绿茶", "preference")})
    with mind._store.write(mind.space) as unit:
        unit.memories._conn.execute("UPDATE memories SET wording = NULL WHERE space >= 0")
    assert mind.add_many({"new": NewMemory("我喜欢绿茶。", "preference")}).known == 1


@pytest.mark.parametrize("slots", ["none", "one each", "one of all"])
def test_adding_takes_no_longer_in_a_memory_ten_times_as_large(
    open_mind: OpenMind, tmp_path: Path, slots: str
) -> None:
    """Half as long again is allowed; by turns, as the machine is shared and slow at times."""

    def memory(n: int) -> NewMemory:
        text = f"guest {n} likes dish {n % 97} and wine {n % 89}"
        if slots == "none":
            return NewMemory(text, "fact")
        about = f"guest {n}" if slots == "one each" else "user"
        return NewMemory(text, "preference", subject=about, predicate="likes", value=f"dish {n}")

    def add(mind: Mind, first: int, count: int) -> float:
        began = process_time()
        mind.add_many({str(n): memory(n) for n in range(first, first + count)})
        return process_time() - began

    few, many = (open_mind(tmp_path / f"{name}.db") for name in ("few", "many"))
    add(few, 0, 50)
    add(many, 1_000, 2_500)
    took = [(add(few, n, 50), add(many, n, 50)) for n in range(10_000, 10_400, 50)]
    small, large = map(min, zip(*took, strict=True))
    assert large < 1.5 * small

"""Names of people in a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.names import find_named, fold, respell
from tests.timing import takes_less_than

pytestmark = pytest.mark.feature("R5")


@pytest.mark.parametrize(
    ("query", "speakers", "named"),
    [
        ("What does Ann like?", ["Ann", "Bob"], ["Ann"]),
        ("what does ann like", ["Ann"], ["Ann"]),
        ("Ann's cat", ["Ann"], ["Ann"]),
        ("what does ANN like", ["ann"], ["ann"]),
        ("小明喜欢什么", ["小明", "小红"], ["小明"]),
        ("What do Ann and Bob like?", ["Ann", "Bob", "Cid"], ["Ann", "Bob"]),
        ("Anna likes tea", ["Ann"], []),
        ("Joanne", ["Ann"], []),
        ("What is liked?", ["Ann", ""], []),
        ("", ["Ann"], []),
        ("Ann", [], []),
        ("a.b (c*", ["a.b", "(c*"], ["a.b", "(c*"]),
        ("a+b?", ["a+b"], ["a+b"]),
        # parts of names
        ("What does Maria do?", ["Maria Keller", "Ann Lee"], ["Maria Keller"]),
        ("maria's job", ["Maria Keller", "Maria Lopez"], ["Maria Keller", "Maria Lopez"]),
        ("Maria Keller's job", ["Maria Keller", "Maria Lopez"], ["Maria Keller"]),
        ("Maria", ["Maria", "Maria Lopez"], ["Maria"]),
        ("Ask Keller", ["Maria Keller"], ["Maria Keller"]),
        ("the keller below the house", ["Maria Keller"], []),
        ("Dr Keller", ["Dr. Maria Keller"], ["Dr. Maria Keller"]),
        ("What did jose say", ["José Ortega"], ["José Ortega"]),
        ("What did José say", ["jose ortega"], ["jose ortega"]),
        ("mail of maria", ["maria.keller@example.com"], ["maria.keller@example.com"]),
        ("who is at the com", ["maria.keller@example.com"], []),
        # ordinary words that are names
        ("will it rain", ["Will", "Will Hunt"], []),
        ("Will it rain", ["Will", "Will Hunt"], []),
        ("what will Will do", ["Will"], ["Will"]),
        ("where was Will", ["Will Hunt"], ["Will Hunt"]),
        # Chinese
        ("小明喜欢什么", ["李小明", "王小红"], ["李小明"]),
        ("小明喜欢什么", ["李小明", "王小明"], ["李小明", "王小明"]),
        ("李小明喜欢什么", ["李小明", "王小明"], ["李小明"]),
        ("张小明喜欢什么", ["李小明"], []),
        ("老李喜欢什么", ["李小明", "李红"], ["李小明", "李红"]),
        ("小红喜欢什么", ["李红"], ["李红"]),
        ("李老师什么时候来", ["李小明"], ["李小明"]),
        ("阿明什么时候来", ["李小明"], ["李小明"]),
        ("锋哥和若兰", ["欧阳若兰"], ["欧阳若兰"]),
        ("明天去哪", ["李明", "李小明"], []),
        ("Maria喜欢什么", ["Maria Keller"], ["Maria Keller"]),
    ],
)
def test_named_speakers(query: str, speakers: list[str], named: list[str]) -> None:
    assert find_named(query, speakers) == frozenset(named)


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        ("What does Mria do?", "What does Maria do?"),
        ("What does Mraia's boss do?", "What does Maria's boss do?"),
        ("what does mariia do", "what does Maria do"),
        ("what does mria do", "what does mria do"),  # too short to tell without a capital
        ("where is Cristopher", "where is Christopher"),
        ("where is cristoper", "where is Christopher"),
        ("where is Xristopher", "where is Xristopher"),
        ("is there a marina", "is there a marina"),
        ("Marina is where?", "Marina is where?"),  # a capital at the beginning says nothing
        ("what was marinated", "what was marinated"),
        ("is Kellr in?", "is Keller in?"),
        ("ask Jon", "ask Jon"),
        ("ask Jhon", "ask John"),
        ("Amria", "Maria"),
    ],
)
def test_misspelled_names(query: str, spelled: str) -> None:
    unknown = set(fold(query).replace("?", "").replace("'", " ").split())
    names = ["Maria Keller", "Christopher", "John", "小明", "Al"]
    assert respell(query, unknown, lambda: names) == spelled


def test_only_unknown_words_are_misspelled() -> None:
    assert respell("Where is Mario?", set(), lambda: ["Maria"]) == "Where is Mario?"
    assert respell("Where is Mario?", {"mario"}, lambda: ["Maria"]) == "Where is Maria?"
    assert respell("Where is Marix?", {"marix"}, lambda: ["Maria", "Marie"]) == (
        "Where is Maria Marie?"
    )


def test_many_names_are_quick() -> None:
    names = [f"Name{n % 26 * 'x'}{n} Surname{n}" for n in range(3_000)]

    def find() -> None:
        find_named("What does Maria Keller say about tea?", names)
        respell("What does Namme17 say?", {"namme"}, lambda: names)

    assert takes_less_than(0.2, find)


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4))
def test_any_text_and_names(query: str, names: list[str]) -> None:
    assert find_named(query, names) <= {*names}
    assert isinstance(respell(query, {fold(word) for word in query.split()}, lambda: names), str)


@given(st.sampled_from(["Jonathan", "Margaret", "Valentina"]), st.data())
def test_any_single_slip_after_the_first_letter_is_mended(name: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(name) - 2))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    swapped = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    dropped = name[:place] + name[place + 1 :]
    added = name[:place] + letter + name[place:]
    changed = name[:place] + letter + name[place + 1 :]
    for slip in (swapped, dropped, added, changed):
        query = f"where is {slip} now"
        unknown = {slip.lower()}
        assert respell(query, unknown, lambda: [f"{name} Smith"]) == f"where is {name} now"

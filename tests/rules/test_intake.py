"""The checks at the door."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.rules import checks

NAN = float("nan")
INFINITE = float("inf")


@pytest.mark.parametrize(
    ("check", "fine"),
    [
        (lambda v: checks.check_text(v, "x", 5), ["", "a", "茶" * 5, "\x00", "\U0001f600"]),
        (lambda v: checks.check_name(v, "x"), ["a", " a ", "茶", "x" * 512, "a/b", "\x00"]),
        (lambda v: checks.check_choice(v, ("a", "b"), "x"), ["a", "b"]),
        (checks.check_index, [None, 0, 1, 2**31 - 1]),
        (lambda v: checks.check_count(v, "x", 9), [1, 9]),
        (checks.check_limit, [1, 1_000_000]),
        (checks.check_offset, [0, 10**9]),
        (lambda v: checks.check_tokens(v, "x"), [0, 10**9]),
        (lambda v: checks.check_share(v, "x"), [0, 1, 0.5, 1e-300]),
        (lambda v: checks.check_amount(v, "x"), [None, 0, 1, 0.25]),
    ],
)
def test_what_is_fine_comes_back_as_it_was(
    check: Callable[[object], object], fine: list[object]
) -> None:
    for value in fine:
        assert check(value) == value


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        (lambda v: checks.check_text(v, "x", 5), ["a" * 6, "\ud800", "a\udfff", b"a", None, 1, []]),
        (lambda v: checks.check_name(v, "x"), ["", " \n", "x" * 513, "\ud800", None, 1, ["a"], {}]),
        (lambda v: checks.check_choice(v, ("a", "b"), "x"), ["c", "", None, 1, ["a"], NAN]),
        (checks.check_index, [-1, 2**31, True, False, 1.0, "1", NAN, [], 10**400]),
        (lambda v: checks.check_count(v, "x", 9), [0, 10, -1, True, 1.0, "1", None, NAN]),
        (checks.check_limit, [0, -1, 1_000_001, True, "1", None]),
        (checks.check_offset, [-1, True, 1.5, "0", None, 2**60]),
        (lambda v: checks.check_tokens(v, "x"), [-1, True, 1.5, "1", None, 2**53]),
        (
            lambda v: checks.check_share(v, "x"),
            [-0.1, 1.1, NAN, INFINITE, True, "1", None, 10**400],
        ),
        (
            lambda v: checks.check_amount(v, "x"),
            [-1, NAN, INFINITE, -INFINITE, "free", True, [], 10**400],
        ),
        (lambda v: checks.check_tags(v, 2), ["a", None, 5, ["a", 1], [["a"]], [""], ["\ud800"]]),
        (lambda v: checks.check_tags(v, 2), [["a", "b", "c"], map(str, count())]),
    ],
)
def test_what_is_wrong_is_a_typed_error_with_a_remedy(
    check: Callable[[object], object], wrong: list[object]
) -> None:
    for value in wrong:
        with pytest.raises(InvalidInput) as caught:
            check(value)
        assert caught.value.remedy, value
        assert caught.value.message, value


def test_tags_are_kept_once_in_order() -> None:
    assert checks.check_tags(["b", "a", "b"], 2) == ("b", "a")
    assert checks.check_tags((), 2) == ()
    assert checks.check_tags({"a": 1}, 2) == ("a",)


def test_an_error_names_what_it_is_about() -> None:
    with pytest.raises(InvalidInput, match="sources"):
        checks.check_tags("one", 2, "sources")
    with pytest.raises(InvalidInput, match="user, assistant"):
        checks.check_choice("robot", ("user", "assistant"), "role")


def nested(depth: int, kind: type[list[object]] | type[dict[str, object]]) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value] if kind is list else {"x": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
def test_how_deep_json_may_go(kind: type[list[object]] | type[dict[str, object]]) -> None:
    checks.check_depth(nested(checks.MAX_DEPTH - 1, kind), "x")
    for depth in (checks.MAX_DEPTH, 5_000):
        with pytest.raises(InvalidInput) as caught:
            checks.check_depth(nested(depth, kind), "x")
        assert caught.value.remedy


def test_wide_json_is_not_deep() -> None:
    checks.check_depth([{"x": [1] * 1_000} for _ in range(100)], "x")


def test_a_text_with_half_a_pair_can_be_mended_as_told() -> None:
    with pytest.raises(InvalidInput, match="position 1"):
        checks.check_text("a\ud83d", "x", 9)
    mended = "a\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert checks.check_text(mended, "x", 9) == mended


@given(st.text())
def test_every_text_that_utf_8_holds_is_taken(text: str) -> None:
    assert checks.check_text(text, "x", 10_000) == text

"""The rules on the utterances they were developed with: what each gives, and what gives nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.extracting import learn, short

pytestmark = pytest.mark.feature("X5")

with Path(__file__).with_name("extract_dev.toml").open("rb") as file:
    DATA = tomllib.load(file)


def learned() -> Iterator[tuple[str, list[str]]]:
    for utterances in DATA["learns"].values():
        yield from utterances.items()


def traps() -> Iterator[tuple[str, str, str]]:
    for language, kinds in DATA["nothing"].items():
        for trap, texts in kinds.items():
            for text in texts:
                yield language, trap, text


@pytest.mark.parametrize(("text", "wanted"), list(learned()))
def test_what_is_learned(text: str, wanted: list[str]) -> None:
    assert [short(found) for found in learn(text)] == wanted


@pytest.mark.parametrize(("language", "trap", "text"), list(traps()))
def test_what_must_not_be_learned(language: str, trap: str, text: str) -> None:
    assert [short(found) for found in learn(text)] == []


def test_the_utterances_are_many_and_in_both_languages() -> None:
    assert len(list(learned())) + len(list(traps())) >= 350
    for part in ("learns", "nothing"):
        assert set(DATA[part]) == {"en", "zh"}
    assert set(DATA["nothing"]["en"]) == set(DATA["nothing"]["zh"])


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
@pytest.mark.parametrize("text", ["I live in Oslo", "我住在杭州", "remember that I live in Oslo"])
def test_only_the_user_is_believed(role: str, text: str) -> None:
    assert learn(text)
    assert learn(text, role=role) == ()  # type: ignore[arg-type]

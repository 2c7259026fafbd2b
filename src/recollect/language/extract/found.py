"""What one clause says, before it becomes a candidate; and which slots hold one value at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from re import Match, Pattern

from recollect.types import Kind

USER = "user"

# A later statement about one of these takes the place of an earlier one. Of the others (likes,
# uses, allergy, language, pet, rule ...) many can be true at once.
SINGLE_VALUED = frozenset(
    "name nickname age birthday job employer lives_in from nationality marital_status version"
    " editor shell terminal browser os package_manager database notes_app port path timezone email"
    " phone address deadline school major native_language location status device".split()
)


@dataclass(frozen=True, slots=True)
class Found:
    """One statement: what it is about, what it says, and how it was meant."""

    kind: Kind
    subject: str
    predicate: str
    value: str
    duration: str = ""
    is_update: bool = False
    withdraws: bool = False
    asked: bool = False
    content: str = ""


Read = Callable[[Match[str]], "Found | list[Found] | None"]
Row = tuple[Pattern[str], Read]


class Group:
    """Rows that are tried only on a clause which has one of the words, and compiled only then."""

    def __init__(self, words: str, make: Callable[[], tuple[Row, ...]]) -> None:
        self.words = tuple(words.split("|"))
        self._make = make

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self._make()

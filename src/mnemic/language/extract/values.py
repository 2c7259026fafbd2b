"""Whether words can be the value of a statement, and how they are kept."""

from __future__ import annotations

import re
from collections.abc import Callable

from mnemic.language.extract.products import name_of, ordinary, product
from mnemic.language.extract.sentences import GAP, Phrases
from mnemic.language.value_types import is_person, is_pet, is_place
from mnemic.late import dataclass

_HAN_NAME = re.compile(r"[\u4e00-\u9fff·]{1,6}")
_NAMED = re.compile(r"[\w.+#/@-]+")
_MARKS = " .。,，!！?？~～:：、;；\"'“”「」"
_LONGEST_THING = 90


@dataclass(frozen=True, slots=True)
class Values:
    """The checks that a pattern names; ``phrases`` are what the languages say about values."""

    phrases: Phrases

    def check(self, name: str, text: str) -> str:
        """A text as a check keeps it, or nothing."""
        return CHECKS[name](self, text)

    def clean(self, text: str) -> str:
        """Without what trails behind: "Paris these days", "北京了"."""
        text = text.strip(_MARKS)
        while True:
            shorter = self.phrases("value_tail").sub("", text).strip() or text
            if shorter == text:
                return text
            text = shorter

    def thing(self, text: str, longest: int = _LONGEST_THING) -> str:
        """Something one can like or do: any words that do not only point at something else."""
        value = self.phrases("value_lead").sub("", self.clean(text))
        if not value or GAP in value or len(value) > longest or len(value.split()) > 12:
            return ""
        return "" if self.phrases("value_points").match(value) else value

    def statement(self, text: str) -> str:
        """Words kept whole, as of a decision."""
        value = text.strip(" .。,，!！~～:：、;；")
        pointing = self.phrases("statement_points").match(value)
        return "" if GAP in value or len(value) < 2 or pointing else value

    def place(self, text: str) -> str:
        """A place to live in or to come from."""
        value = self.phrases("value_lead").sub("", self.clean(text))
        if not value or GAP in value or self.phrases("value_points").match(value):
            return ""
        if product(value) and not ordinary(value):
            return ""
        value = value.removeprefix("the city of ").removesuffix(" area")
        return value if is_place(value) else ""

    def person(self, text: str) -> str:
        """The name of a person."""
        value = self.clean(text)
        return value if value and GAP not in value and is_person(value) else ""

    def pet(self, text: str) -> str:
        """The name of an animal, or what it is."""
        value = self.clean(text)
        return value if value and GAP not in value and is_pet(value) else ""

    def surname(self, text: str) -> str:
        """A name by its surname, where that comes first and is one of a few."""
        value = self.clean(text)
        fits = 2 <= len(value) <= 4 and _HAN_NAME.fullmatch(value)
        return value if fits and self.phrases("surname").match(value) else ""

    def tool(self, text: str, *, listed: bool = False) -> str:
        """A product: one that is known, or one that is written as a name."""
        value = self.clean(text)
        bare = self.phrases("article").sub("", value)
        for name in (bare, value):
            if product(name):
                return name_of(name)
        if listed or not value or GAP in value or len(value.split()) > 4:
            return ""
        return bare if self._looks_named(bare) else ""

    def _looks_named(self, value: str) -> bool:
        if not value.strip() or not value.isascii() or ordinary(value):
            return False
        if self.phrases("value_points").match(value) or self.phrases("correction_day").match(value):
            return False  # "we deploy on Fridays"
        marked = any(c.isupper() or c.isdigit() or c in ".-_+#" for c in value)
        return marked and all(map(_NAMED.fullmatch, value.split()))


CHECKS: dict[str, Callable[[Values, str], str]] = {
    "written": lambda _, text: text.strip(),
    "clean": Values.clean,
    "thing": Values.thing,
    "statement": Values.statement,
    "place": Values.place,
    "person": Values.person,
    "pet": Values.pet,
    "surnamed": Values.surname,
}

"""Corrections: "不对，是 3.11", "actually it's Friday", set right against what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from mnemic.language.extract.languages import Patterns
from mnemic.language.extract.sentences import GAP
from mnemic.language.value_types import fits
from mnemic.rules.slots import value_type
from mnemic.types import Candidate

_VERSION = re.compile(r"(?:[A-Za-z][\w.+#]* )?v?\d+(?:\.\d+){1,3}")
_NUMBER = re.compile(r"\d{1,6}")
_DATED = frozenset({"deadline", "birthday", "schedule"})
_NUMBERED = frozenset({"port", "age", "version"})
_WORDED = frozenset(
    "name nickname job employer lives_in from editor shell terminal browser os database school"
    " major package_manager allergy timezone nationality pet wife husband son daughter".split()
)


def read_correction(sentence: str, patterns: Patterns) -> tuple[str, str]:
    """The value a sentence puts right, and the wrong one where it is named; else empty texts."""
    if GAP in sentence:
        return "", ""
    for entry in patterns.entries("correction", sentence):
        match = entry.matcher.fullmatch(sentence)
        if match:
            clean = patterns.values.clean
            return clean(match["value"]), clean(match.groupdict().get("old") or "")
    return "", ""


def correct_latest(
    value: str, old: str, before: Iterable[Candidate], patterns: Patterns
) -> Candidate | None:
    """The latest statement of that sort, put right; ``before`` is newest first."""
    slots = _slots(value, patterns)
    for earlier in before if slots else ():
        if earlier.predicate not in slots or earlier.withdraws or not _alike(value, earlier):
            continue
        wrong, was = old.lower(), earlier.value.lower()
        if wrong and wrong not in was and was not in wrong:
            continue
        if value.lower() == was:
            return None
        right = value
        if earlier.predicate == "version":
            right = value.rsplit(maxsplit=1)[-1].lower().removeprefix("v")
        if not fits(value_type(earlier.predicate), right):
            continue
        content = earlier.text.replace(earlier.value, right)
        if earlier.value not in earlier.text:
            content += f" → {right}"
        return replace(earlier, value=right, text=content, is_update=True, asked=False)
    return None


def _slots(value: str, patterns: Patterns) -> frozenset[str]:
    """The predicates that a value can be of."""
    if patterns.phrases("correction_day").fullmatch(value):
        return _DATED
    if _NUMBER.fullmatch(value):
        return _NUMBERED
    if _VERSION.fullmatch(value):
        return frozenset({"version"})
    long = len(value.split()) > 3 or len(value) > 24
    return frozenset() if long or patterns.phrases("correction_not").fullmatch(value) else _WORDED


def _alike(value: str, earlier: Candidate) -> bool:
    """A version with a point is not corrected by one without, nor the other way round."""
    return earlier.predicate != "version" or ("." in value) == ("." in earlier.value)

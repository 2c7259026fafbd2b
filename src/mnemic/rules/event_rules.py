"""Event rules: whether an event passes the conditions of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, ge, gt, le, lt, ne

from mnemic.settings.upkeep import EventRule
from mnemic.settings.values import Condition
from mnemic.types import Json

_TESTS = {">=": ge, "<=": le, ">": gt, "<": lt, "==": eq, "!=": ne}


def wants(rule: EventRule, event: str, payload: Mapping[str, Json]) -> bool:
    """Whether the rule is in force for this event and every test of it holds."""
    in_force = rule.enabled and event in rule.event.split("|")
    return in_force and all(_holds(test, payload) for test in rule.when)


def _holds(test: Condition, payload: Mapping[str, Json]) -> bool:
    """A field that is not there, or is of another sort, passes no test."""
    actual = payload.get(test.field.removeprefix("payload."))
    value = test.value
    if isinstance(value, bool) or isinstance(actual, bool):
        flags = isinstance(value, bool) and isinstance(actual, bool)
        return flags and test.op in ("==", "!=") and (actual is value) == (test.op == "==")
    if isinstance(value, str):
        return isinstance(actual, str) and bool(_TESTS[test.op](actual, value))
    return isinstance(actual, int | float) and bool(_TESTS[test.op](actual, value))

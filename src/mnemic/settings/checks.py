"""Checks between settings, after all layers are in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import chain
from math import isclose
from re import fullmatch
from typing import Any

from mnemic.settings.problems import Problem
from mnemic.settings.tree import Settings
from mnemic.settings.values import ValueOrigin

_NOWHERE = ValueOrigin("built-in")
_OF_A_SESSION = ("extract", "consolidate", "episode")
EVENTS = (
    "session.ended memory.write.important write supersede conflict pending confirm reject repeat"
    " withdraw drop episode archive restore delete expire demote merge core forget rollback undo"
    " retrieval_fail upkeep_fail onboarding"
).split()
# Events that a host emits begin with this, and actions that it registers with the other.
HOST_EVENT, HOST_ACTION = "host.", "call:"
# The second of two bounds the first.
_ORDERED = (
    ("routing.pending", "routing.write"),
    ("capacity.knowledge", "capacity.knowledge_max"),
    ("jobs.backoff_first", "jobs.backoff_max"),
    ("decay.delete_below", "decay.demote_below"),
)


def check(settings: Settings, origins: Mapping[str, ValueOrigin]) -> list[Problem]:
    """Violations of the checks between settings; names the origin of each value."""

    def describe(key: str, value: object) -> str:
        return f"{key} = {value} (from {origins.get(key, _NOWHERE)})"

    violations = (rule(settings) for rule in (_sums, _orders, _prompt, _rules, _own_kinds))
    return [
        Problem(" and ".join(map(describe, values, values.values())) + f": {why}", remedy)
        for values, why, remedy in chain.from_iterable(violations)
    ]


Violations = Iterator[tuple[Mapping[str, object], str, str]]


def _sums(settings: Settings) -> Violations:
    """Weights of one sum add up to 1."""
    weights = settings.ranking.weights
    parts = {f"ranking.weights.{name}": value for name, value in weights.values().items()}
    total = sum(parts.values())
    if not isclose(total, 1, abs_tol=1e-6):
        nonzero = {key: value for key, value in parts.items() if value}
        yield nonzero, f"they add up to {total:g}", "Weights add up to 1"


def _orders(settings: Settings) -> Violations:
    """Of two settings one bounds the other."""
    for low, high in _ORDERED:
        values: dict[str, Any] = {low: value_at(settings, low), high: value_at(settings, high)}
        if values[low] > values[high] and (values[high] or high != "decay.demote_below"):
            yield values, "the first is above the second", f"{low} is at most {high}"


def value_at(settings: Settings, key: str) -> Any:
    return reduce(getattr, key.split("."), settings)


def _prompt(settings: Settings) -> Violations:
    """The parts of the prompt fit the window and are either cut or kept."""
    context = settings.context
    shared = [name for name in context.cut if name in context.keep]
    if shared:
        lists = {"context.cut": list(context.cut), "context.keep": list(context.keep)}
        yield lists, f"both name {', '.join(shared)}", "A part is cut or kept, not both"
    shares = {name: size.percent for name, size in context.sections.items()}
    total = sum(shares.values())
    if total > 100 + 1e-6:
        nonzero = {
            f"context.sections.{name}": f"{share:g}%" for name, share in shares.items() if share
        }
        yield nonzero, f"they add up to {total:g}%", "Shares add up to at most 100%"


def _rules(settings: Settings) -> Violations:
    """A rule waits for an event that there is, and does something."""
    for name, rule in settings.events.rules.items():
        key = f"events.rules.{name}"
        about_session = [action for action in rule.actions if action in _OF_A_SESSION]
        words = rule.event.split("|")
        unknown = [word for word in words if word not in EVENTS and not _is_own(word)]
        if unknown:
            yield (
                {f"{key}.event": rule.event or "nothing"},
                "there is no such event",
                f"Use one of {', '.join(EVENTS)}, or {HOST_EVENT}NAME for one of your own",
            )
        elif not rule.actions:
            yield {f"{key}.actions": []}, "the rule does nothing", "Give it an action"
        elif about_session and rule.event != "session.ended":
            yield (
                {f"{key}.event": rule.event, f"{key}.actions": list(about_session)},
                "the event is about no session",
                "Use these actions with session.ended",
            )


def _is_own(event: str) -> bool:
    return event.startswith(HOST_EVENT) and event != HOST_EVENT


def _own_kinds(settings: Settings) -> Violations:
    """A kind of one's own has a plain name that no built-in kind has."""
    for name in settings.memory.kinds:
        if name in settings.decay.kinds or name in ("all", "task_rule"):
            yield {f"memory.kinds.{name}": "{}"}, "it is a built-in kind", "Use another name"
        elif not fullmatch(r"\w[\w-]{0,39}", name):
            yield (
                {f"memory.kinds.{name}": "{}"},
                "a kind is one word",
                "Use up to 40 letters, digits, - and _",
            )

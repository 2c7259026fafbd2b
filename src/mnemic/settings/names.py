"""The names that a preset's own system gives to settings, translated into ours.

A preset lists them under ``[about.names]``: a dotted name of its configuration, and the key here,
or a table of the key (``to``) and how the value is read: ``share_of`` is a whole that a share is
taken of, ``daily_at`` a time of day that becomes a schedule. ``words`` is a table in the place of
both: the settings that each word means, unless they are given themselves; ``folder`` is a
workspace, whose places are listed under ``[about.workspace]``. What stands under
``[about]`` as ``host_keys`` is the host's own and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mnemic.errors import ConfigError

Raw = Mapping[str, Any]
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def translate(raw: Raw, about: Raw, *, split: bool = False) -> dict[str, Any]:
    """A layer with our names in place of the preset's; ``split``: keys may be paths."""
    names: Raw = about.get("names", {})
    if not names:
        return dict(raw)
    host = tuple(f"{key}." for key in about.get("host_keys", ()))
    result: dict[str, Any] = {}
    origins: dict[str, str] = {}
    meant: dict[str, Any] = {}
    for path, value in _leaves(raw, "", names, split=split):
        key, rule = path, names.get(path)
        if isinstance(rule, Mapping) and "words" in rule:
            words: Raw = rule["words"]
            if not isinstance(value, str) or value not in words:
                raise _wrong(path, value, "one of " + ", ".join(words))
            meant |= words[value]
            continue
        if isinstance(rule, Mapping) and "folder" in rule:
            meant |= workspace(about, value)
            continue
        if rule is not None:
            key, value = _read(path, rule, value)  # noqa: PLW2901
        elif f"{path}.".startswith(host):
            continue
        else:  # in a table that only the other system has, it is one of its own, or a mistake
            table = path.rpartition(".")[0]
            listed = [name for name in names if "." in table and name.startswith(f"{table}.")]
            if listed:
                raise ConfigError(
                    f"{path}: there is no such setting", remedy="Use one of " + ", ".join(listed)
                )
        if key in origins:
            raise ConfigError(
                f"{origins[key]} and {path} are one setting", remedy="Keep one of the two"
            )
        origins[key] = path
        put(result, key.split("."), value)
    for key in meant.keys() - origins.keys():
        put(result, key.split("."), meant[key])
    return result


def workspace(about: Raw, folder: object) -> dict[str, str]:
    """The places in a workspace of the preset's system, by the settings that name them."""
    if not isinstance(folder, str):
        raise _wrong("workspace", folder, "the path of a folder")
    from pathlib import Path  # importing it takes longer than all settings

    root = Path(folder).expanduser()
    return {key: str(root / inside) for key, inside in about.get("workspace", {}).items()}


def imply(about: Raw, tree: Any) -> dict[str, dict[str, str]]:
    """The provider that the preset means where a model is named and nobody who serves it."""
    provider, chat, model = about.get("provider"), tree.chat, tree.model
    if provider is None or chat.provider != "none":
        return {}
    if chat.name or chat.api_key or chat.base_url:
        return {"chat": {"provider": provider}}
    if model.provider == "chat" and (model.name or model.api_key or model.base_url):
        return {"model": {"provider": provider}}
    return {}


def _leaves(raw: Raw, prefix: str, names: Raw, *, split: bool = False) -> Iterator[tuple[str, Any]]:
    """Every value with its dotted path; what is in a group may have another name beside it."""
    for key, value in raw.items():
        path = prefix + (str(key).replace("__", ".") if split else str(key))
        inside = f"{path}."
        if isinstance(value, Mapping) and (not prefix or any(n.startswith(inside) for n in names)):
            yield from _leaves(value, inside, names)
        else:
            yield path, value


def _read(path: str, rule: str | Raw, value: Any) -> tuple[str, Any]:
    if isinstance(rule, str):
        return rule, value
    key = str(rule["to"])
    if "share_of" in rule:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
            raise _wrong(path, value, "a share above 0 and at most 1")
        return key, round(rule["share_of"] * value)
    match = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise _wrong(path, value, "a time of day, such as 03:00")
    return key, f"{int(match[2])} {int(match[1])} * * *"


def _wrong(path: str, value: object, allowed: str) -> ConfigError:
    return ConfigError(f"{path}: {value!r:.40} cannot be used", remedy=f"Give {allowed}")


# Document E §11.1: its words for a rule, and the agents that its actions run.
_RULE_WORDS = {"event_type": "event", "action_mode": "mode", "risk_level": "risk"}
_TARGETS = {"memory_consolidator": "consolidate"}


def read_rules(raw: Raw) -> dict[str, Any]:
    """A layer whose event rules may be written as in document E §11.1."""
    events = raw.get("events")
    rules = events.get("rules") if isinstance(events, Mapping) else None
    if isinstance(rules, list):
        rules = {str(rule.get("name", n)): rule for n, rule in enumerate(rules, 1)}
    if not isinstance(events, Mapping) or not isinstance(rules, Mapping):
        return dict(raw)
    read = {key: _rule(rule) if isinstance(rule, Mapping) else rule for key, rule in rules.items()}
    return {**raw, "events": {**events, "rules": read}}


def _rule(raw: Raw) -> dict[str, Any]:
    rule = {_RULE_WORDS.get(key, key): value for key, value in raw.items() if key != "name"}
    if isinstance(conditions := rule.get("conditions"), Mapping) and set(conditions) == {"all"}:
        tests = rule.pop("conditions")["all"]
        rule["when"] = [
            f"{test['field']} {test['op']} {_test_value(test['value'])}" for test in tests
        ]
    if isinstance(actions := rule.get("actions"), list | tuple):
        rule["actions"] = [_action(step) if isinstance(step, Mapping) else step for step in actions]
    return rule


def _test_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _action(raw: Raw) -> str:
    target, type_ = str(raw.get("target", "")), str(raw.get("action_type", ""))
    return _TARGETS.get(target, f"call:{target}") if type_ == "run_agent" else type_


def put(tree: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set a value in nested tables."""
    for step in path[:-1]:
        tree = tree.setdefault(step, {})
        if not isinstance(tree, dict):
            raise _wrong(step, tree, "a table")
    tree[path[-1]] = value

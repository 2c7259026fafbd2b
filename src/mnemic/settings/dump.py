"""Settings as plain data, for people and for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.tree import Settings
from mnemic.settings.values import MASK

SecretsAs = Literal["masked", "plain", "absent"]


def as_mapping(settings: SettingsGroup, *, reveal: bool = False) -> dict[str, Any]:
    """Nested plain data that ``load(overrides=...)`` takes back; secrets masked unless revealed."""
    return _group(settings, "plain" if reveal else "masked")


def as_flat(settings: Settings) -> dict[str, Any]:
    """Dotted keys and plain values, secrets masked."""
    return dict(_flat(as_mapping(settings), ""))


def as_toml(settings: Settings) -> str:
    """A settings file that gives these settings again; secrets are left out."""
    lines: list[str] = []
    _write(_group(settings, "absent"), "", lines)
    return "\n".join(lines).strip() + "\n"


def plain(setting: Setting, value: Any, secrets: SecretsAs = "masked") -> Any:
    """The value of one setting as plain data."""
    if setting.table:
        return {name: _item(setting, item, secrets) for name, item in value.items()}
    return _item(setting, value, secrets)


def toml_value(value: Any) -> str:
    """A plain value in TOML; JSON's numbers, booleans, lists and escapes are also TOML's."""
    return json.dumps(value, ensure_ascii=False)


def _group(group: SettingsGroup, secrets: SecretsAs) -> dict[str, Any]:
    return {
        name: plain(setting, getattr(group, name), secrets)
        for name, setting in type(group).fields.items()
        if not (secrets == "absent" and setting.sort and setting.sort.secret)
    }


def _item(setting: Setting, value: Any, secrets: SecretsAs) -> Any:
    if setting.group is not None:
        return _group(value, secrets)
    assert setting.sort is not None
    plain_value = setting.sort.show(value)
    return MASK if setting.sort.secret and plain_value and secrets == "masked" else plain_value


def _flat(tree: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    items: list[tuple[str, Any]] = []
    for name, value in tree.items():
        if isinstance(value, dict):
            items += _flat(value, f"{prefix}{name}.")
        else:
            items.append((prefix + name, value))
    return items


def _write(tree: Mapping[str, Any], prefix: str, lines: list[str]) -> None:
    """Plain values first, then the tables below them, as TOML wants it."""
    for name, value in tree.items():
        if not isinstance(value, dict):
            lines.append(f"{_key(name)} = {toml_value(value)}")
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            path = prefix + _key(name)
            lines += ["", f"[{path}]"]
            _write(value, f"{path}.", lines)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else toml_value(name)

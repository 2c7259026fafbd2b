"""Settings as plain data, for people and for other programs."""

from __future__ import annotations

from typing import Any

from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.tree import Settings
from mnemic.settings.values import MASK


def as_mapping(settings: SettingsGroup, *, reveal: bool = False) -> dict[str, Any]:
    """Nested plain data that ``load(overrides=...)`` takes back; secrets masked unless revealed."""
    return {
        name: plain(setting, getattr(settings, name), reveal=reveal)
        for name, setting in type(settings).fields.items()
    }


def as_flat(settings: Settings) -> dict[str, Any]:
    """Dotted keys and plain values, secrets masked."""
    return {key: _make_plain(setting, value) for key, setting, value in settings.leaves()}


def plain(setting: Setting, value: Any, *, reveal: bool = False) -> Any:
    """The value of one setting as plain data."""
    if setting.table:
        return {name: _make_plain(setting, item, reveal) for name, item in value.items()}
    return _make_plain(setting, value, reveal)


def _make_plain(setting: Setting, value: Any, reveal: bool = False) -> Any:
    if setting.sort is None:
        return as_mapping(value, reveal=reveal)
    shown = setting.sort.show(value)
    return MASK if setting.sort.secret and shown and not reveal else shown

"""Every setting is read by the engine, and every key of a preset is one that is read."""

from functools import cache
from pathlib import Path

import pytest

from mnemic.settings import PRESETS, Settings
from mnemic.settings.group import SettingsGroup, setting
from mnemic.settings.layers import read_preset
from tests.settings import reads

ROOT = Path(__file__).parent.parent.parent


@cache
def found() -> set[tuple[str, str]]:
    return reads.reads(reads.source_files(ROOT))


def unread(
    known: set[tuple[str, str]], settings: type[SettingsGroup] = Settings, prefix: str = ""
) -> list[str]:
    """Keys of values that nothing reads."""
    keys: list[str] = []
    for name, field in settings.fields.items():
        if field.group is not None:
            keys += unread(known, field.group, f"{prefix}{name}.")
        elif (settings.__name__, name) not in known:
            keys.append(prefix + name)
    return keys


def unread_in(preset: dict[str, object], keys: set[str], prefix: str = "") -> list[str]:
    """Keys of a preset that stand for values that nothing reads."""
    stale: list[str] = []
    for name, value in preset.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in keys:
            stale += unread_in(value, keys, f"{key}.")
        elif key in keys:
            stale.append(key)
    return stale


def test_every_setting_is_read() -> None:
    assert unread(found()) == []


def test_a_planted_setting_is_noticed() -> None:
    class PlantedSettings(SettingsGroup):
        """For this test."""

        depth: int = setting(3)
        limit: int = setting(3)

    class AllSettings(SettingsGroup):
        """For this test."""

        planted: PlantedSettings = PlantedSettings()

    reads.NAMED["PlantedSettings"] = PlantedSettings
    try:
        source = (
            "def use(settings: PlantedSettings, other: Page): return settings.depth + other.limit"
        )
        assert unread(reads.reads([source]), AllSettings) == ["planted.limit"]
        assert unread(reads.reads(["class Mind: pass"]), AllSettings) == [
            "planted.depth",
            "planted.limit",
        ]
    finally:
        del reads.NAMED["PlantedSettings"]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_key_of_a_preset_is_read(preset: str) -> None:
    assert unread_in(dict(read_preset(preset)[1]), set(unread(found()))) == []


def test_a_planted_key_of_a_preset_is_noticed() -> None:
    without = {pair for pair in found() if pair != ("TriggerSettings", "per_turn_max")}
    keys = set(unread(without))
    assert keys == {"triggers.per_turn_max"}
    assert unread_in(dict(read_preset("shiyi")[1]), keys) == ["triggers.per_turn_max"]

"""What people import: names, errors, values, and how little comes along."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mnemic
from mnemic import errors, types
from mnemic.errors import MnemicError
from scripts.api_page import reference


def test_the_public_names_are_sorted_and_there() -> None:
    assert mnemic.__all__ == sorted(mnemic.__all__)
    assert len(set(mnemic.__all__)) == len(mnemic.__all__)
    for name in mnemic.__all__:
        assert getattr(mnemic, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        mnemic.no_such_name  # noqa: B018


def test_every_error_is_public() -> None:
    assert {error.__name__ for error in error_classes()} <= set(mnemic.__all__)


def error_classes() -> list[type[MnemicError]]:
    found = [MnemicError]
    for error in found:
        found += error.__subclasses__()
    return [error for error in found if error.__module__ == errors.__name__]


def test_the_drawn_tree_of_errors_is_the_real_one() -> None:
    assert errors.__doc__ is not None
    drawn: dict[str, str] = {}
    path: list[str] = []
    lines = errors.__doc__.splitlines()
    for line in lines[lines.index("MnemicError") :]:
        bare = line.lstrip("│├└─ ")
        if not bare:
            continue
        depth = (len(line) - len(bare)) // 4
        name = bare.split()[0]
        path[depth:] = [name]
        drawn[name] = path[depth - 1] if depth else ""
    real = {
        error.__name__: next(
            (base.__name__ for base in error.__bases__ if issubclass(base, MnemicError)), ""
        )
        for error in error_classes()
    }
    assert drawn == real


@pytest.mark.parametrize("error", error_classes(), ids=lambda error: error.__name__)
def test_an_error_says_what_happened_and_what_to_do(error: type[MnemicError]) -> None:
    made = error("The disk is full", remedy="Free some space")
    assert (made.message, made.remedy) == ("The disk is full", "Free some space")
    assert str(made) == "The disk is full. Free some space"
    assert error.__doc__


def value_classes() -> list[type[object]]:
    return [
        value
        for _, value in inspect.getmembers(types, inspect.isclass)
        if value.__module__.startswith(types.__name__) and dataclasses.is_dataclass(value)
    ]


def test_there_are_values() -> None:
    assert len(value_classes()) >= 20


@pytest.mark.parametrize("value", value_classes(), ids=lambda value: value.__name__)
def test_a_value_is_frozen_slotted_and_explained(value: type[object]) -> None:
    parameters = value.__dataclass_params__  # type: ignore[attr-defined]
    assert parameters.frozen
    assert "__slots__" in vars(value)
    assert "__dict__" not in dir(value)
    assert value.__doc__
    assert not value.__doc__.startswith(f"{value.__name__}("), "not the generated one"


def test_every_door_of_the_mind_is_explained() -> None:
    for name, door in inspect.getmembers(mnemic.Mind, inspect.isfunction):
        if not name.startswith("_"):
            assert door.__doc__, name


HEAVY = ("asyncio", "click", "numpy", "platformdirs", "rich", "sqlite_vec")


def test_importing_brings_in_nothing_heavy() -> None:
    script = "import json, sys, mnemic; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    )
    assert set(HEAVY).isdisjoint(loaded)


def test_using_a_file_brings_in_nothing_heavy_either(tmp_path: Path) -> None:
    script = f"""
import json, sys, mnemic
with mnemic.open({str(tmp_path)!r} + "/me.db") as mind:
    mind.record(session="s", role="user", text="tea")
    assert mind.recall("tea")
print(json.dumps(sorted(sys.modules)))
"""
    loaded = json.loads(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    )
    assert {*HEAVY} - {"numpy"} <= {*HEAVY} - {*loaded}, "search has its arithmetic, no more"


def test_the_reference_is_that_of_the_code() -> None:
    page = Path(__file__).parents[1] / "docs" / "api.md"
    assert page.read_text("utf-8") == reference(), "python -m scripts.api_page --write docs/api.md"

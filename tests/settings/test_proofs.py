"""For every setting there is a test that turns it and sees something else happen.

Either a case of the tables in this folder, or a test that says so with
``@pytest.mark.setting("recall.limit")`` and has that setting in its text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mnemic.settings.problems import list_keys
from tests.settings import (
    test_effect_environment,
    test_effect_learning,
    test_effect_recall,
    test_effect_upkeep,
)

TESTS = Path(__file__).parent.parent
TABLES = (
    test_effect_environment,
    test_effect_learning,
    test_effect_recall,
    test_effect_upkeep,
)


def marked(source: str) -> Iterator[tuple[str, str, str]]:
    """Each marked key with its test and the text that the test is made of."""
    if "mark.setting(" not in source:
        return
    tree = ast.parse(source)
    above = {
        target.id: ast.get_source_segment(source, node) or ""
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        body = ast.get_source_segment(source, node) or ""
        text = "\n".join([body, *(above[name] for name in sorted(used & set(above)))])
        for decorator in node.decorator_list:
            if ast.unparse(decorator).startswith("pytest.mark.setting("):
                for key in decorator.args:  # type: ignore[attr-defined]
                    yield ast.literal_eval(key), node.name, text


@cache
def proofs() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {
        case.key: ["a table"] for table in TABLES for case in table.CASES
    }
    for path in sorted(TESTS.rglob("test_*.py")):
        for key, test, _ in marked(path.read_text(encoding="utf-8")):
            found.setdefault(key, []).append(f"{path.name}::{test}")
    return found


def missing(keys: tuple[str, ...], proven: dict[str, list[str]]) -> list[str]:
    """The preset is no setting: it is what the settings start from."""
    return [key for key in keys if key not in proven and key != "preset"]


def test_every_setting_is_turned_by_a_test() -> None:
    assert missing(list_keys(), proofs()) == []


def test_a_setting_without_a_test_is_noticed() -> None:
    assert missing((*list_keys(), "recall.planted"), proofs()) == ["recall.planted"]


def test_every_proof_is_of_a_setting() -> None:
    assert sorted(set(proofs()) - set(list_keys())) == []


def test_a_marked_test_has_the_setting_in_its_text() -> None:
    for path in sorted(TESTS.rglob("test_*.py")):
        for key, test, text in marked(path.read_text(encoding="utf-8")):
            name = key.removesuffix(".<name>").rpartition(".")[2]
            assert re.search(rf"\b(?:\w+__)?{name}\b", text), f"{path.name}::{test} of {key}"

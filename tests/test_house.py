"""The house rules that no linter knows. The direction of imports is checked by import-linter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.schema import LATEST, latest
from tests.house import BUDGETS, count_lines

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
LONGEST_FILE = 600

# Everything a face may know of the package; the rest it reaches through the Mind.
OPEN_TO_FACES = frozenset(
    {"clock", "engine", "errors", "moving", "plain", "private", "serve", "settings", "tools"}
    | {"sync", "tracing", "types"}
)


def test_every_file_can_be_read_in_one_sitting() -> None:
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    too_long = {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE}
    assert not too_long, "give each subject a file of its own"


def test_a_class_name_stands_for_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        if path.is_relative_to(PACKAGE / "compat"):  # its names are those of other libraries
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("face", ["cli", "serve"])
def test_a_face_knows_only_the_mind(face: str) -> None:
    found = {
        f"{path.relative_to(PACKAGE)} imports {room}"
        for path in (PACKAGE / face).rglob("*.py")
        for room in rooms_imported(path.read_text(encoding="utf-8"))
        if room not in OPEN_TO_FACES | {face}
        # The chat in the terminal talks with a model itself.
        and not (room == "providers" and path.is_relative_to(PACKAGE / "cli" / "chat"))
    }
    assert not found


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        ("import mnemic", []),
        ("import mnemic.store.contract", ["store"]),
        ("from mnemic import open, store", ["store"]),
        ("from mnemic.store import contract", ["store"]),
        ("from mnemic.clock import Clock", ["clock"]),
        ("def f():\n    from mnemic.language.dates.moments import parse", ["language"]),
        ("import os\nfrom pathlib import Path", []),
    ],
)
def test_imports_are_found_wherever_they_stand(source: str, rooms: list[str]) -> None:
    assert list(rooms_imported(source)) == rooms


def rooms_imported(source: str) -> Iterator[str]:
    """The parts of the package that a file's text imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            # `from mnemic import open` takes a public name, not a room.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "mnemic" and len(parts) > 1 and is_room(parts[1]):
                yield parts[1]


def is_room(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def test_a_new_database_is_made_as_the_migrations_make_it() -> None:
    assert LATEST.read_text(encoding="utf-8") == latest(), "run `python -m tests.fixtures.schema`"


def test_no_folder_is_larger_than_its_budget() -> None:
    lines = count_lines()
    over = {name: count for name, count in lines.items() if count > BUDGETS.get(name, 0)}
    assert not over, "cut, or see tests/house.py for what raising a budget takes"


# Words that name no thing, and participles that name no act.
VAGUE = frozenset("one whole own some part piece said told found known".split())
IRREGULAR = frozenset(
    "told found known said kept made shown given taken written hidden held left lost met built sent"
    " spoken seen understood heard drawn chosen begun".split()
)
VERBS = frozenset(
    {"embed", "feed", "need", "seed", "proceed", "exceed", "succeed", "shed", "speed"}
)


def test_a_function_begins_with_a_verb_and_a_value_is_a_thing() -> None:
    vague = {
        str(path.relative_to(PACKAGE)): names
        for path in PACKAGE.rglob("*.py")
        if not path.is_relative_to(PACKAGE / "compat")  # its names are those of other libraries
        and (names := list(vague_names(path.read_text(encoding="utf-8"))))
    }
    assert not vague


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def checked(text): ...", "checked"),
        ("async def _told_apart(text): ...", "_told_apart"),
        ("@property\ndef expired(self): ...", ""),
        ("def embed(text): ...", ""),
        ("for one in (): ...", "one"),
        ("def f(part): ...", "part"),
        ("class C:\n    part: str", ""),
        ("print(found)", ""),
    ],
)
def test_vague_names_are_found_where_they_are_made(source: str, name: str) -> None:
    assert "".join(vague_names(source)) == name


def vague_names(source: str) -> Iterator[str]:
    """The names that a program makes and that say too little; fields are named by their class."""
    tree = ast.parse(source)
    classes = (node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    fields = {row.target for body in classes for row in body if isinstance(row, ast.AnnAssign)}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                first = name.lstrip("_").partition("_")[0]
                participle = first in IRREGULAR or (first.endswith("ed") and first not in VERBS)
                if participle and not any(
                    "property" in ast.unparse(d) for d in node.decorator_list
                ):
                    yield name
            case ast.arg(arg=name) if name in VAGUE:
                yield name
            case ast.Name(id=name, ctx=ast.Store()) if name in VAGUE and node not in fields:
                yield name

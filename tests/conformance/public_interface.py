"""A test that lives through a statement of a document uses what a user of the package can use.

The text of the test is followed into every function, class and fixture of the tests that it
reaches. None of them may import a part of the package that is not public, read a private attribute,
or look at a setting: a number that nobody uses proves nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import pytest

import mnemic
from tests.conformance.catalog import CatalogError

PACKAGE = "mnemic"
# What a test, and a helper of the tests, may import beside the names in mnemic.__all__.
PUBLIC_MODULES = {
    "mnemic.engine.aio": "the mind, awaitable",
    "mnemic.clock": "the clock that mnemic.open takes",
    "mnemic.errors": "what is raised",
    "mnemic.integrations": "adapters for agent frameworks",
    "mnemic.tools": "what a host gives its model",
    "mnemic.types": "the values that the mind takes and gives",
    "mnemic.cli.root": "the command, for click's runner",
    "mnemic.serve.mcp": "the server, for a client in the same process",
}
# Modules of helpers that are not followed. They prepare; what a test sees, it sees itself.
TRUSTED_HELPERS = {
    "tests.planting": "thousands of memories of before, where calls would take minutes",
    "tests.served_mind": "the same mind behind a service, where the whole run asks for it",
}
_DOTTED = re.compile(r"mnemic\.(\w+)(\.\w+)*")
_FOLDER = Path(mnemic.__file__).parent

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


@dataclass
class Reached:
    """What was wrong on the way, and every text that stands there."""

    wrong: list[str] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)


@dataclass
class Module:
    """A file of the tests, by the names that it defines at its top."""

    path: Path
    root: Path

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @cached_property
    def imports(self) -> dict[str, str]:
        """Each imported name with what it stands for, in full."""
        return dict(_imported(self.tree))

    @cached_property
    def names(self) -> dict[str, ast.stmt]:
        """Each name that is defined or assigned here."""
        found: dict[str, ast.stmt] = {}
        for node in self.tree.body:
            if isinstance(node, DEFINITIONS):
                found[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [name for target in targets for name in ast.walk(target)]
                found.update({name.id: node for name in names if isinstance(name, ast.Name)})
        return found

    def said(self, node: ast.AST, problem: str) -> str:
        return f"{self.path.relative_to(self.root)}:{getattr(node, 'lineno', 0)}: {problem}"


class PublicInterface:
    """Checks marked tests, each file read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[Path, Module] = {}
        self._checked: dict[tuple[Path, str], Reached] = {}

    def check(self, item: pytest.Function, presets: set[str]) -> None:
        """Refuse a test that goes behind the interface, or that opens another preset."""
        name = item.originalname or item.name
        qualified = f"{item.cls.__qualname__}.{name}" if item.cls else name
        reached = self.reached(item.path, qualified)
        missing = [p for p in sorted(presets) if not any(p in text for text in reached.texts)]
        wrong = reached.wrong + [f"it never names the preset {preset!r}" for preset in missing]
        if wrong:
            said = "\n  ".join(["a test of a statement uses the public interface only", *wrong])
            raise CatalogError(said)

    def reached(self, path: Path, qualified: str) -> Reached:
        """What the test with this name reaches."""
        key = (path, qualified)
        if key not in self._checked:
            module, found = self._module(path), Reached()
            *classes, name = qualified.split(".")
            owner = next((module.names[one] for one in classes if one in module.names), None)
            members = _members(owner) if isinstance(owner, ast.ClassDef) else {}
            node = members.get(name) or module.names.get(name)
            if node is None:
                found.wrong.append(f"{path.name}: {qualified} is not defined where it can be read")
            else:
                self._follow(module, node, found, members)
            self._checked[key] = found
        return self._checked[key]

    def _module(self, path: Path) -> Module:
        if path not in self._modules:
            self._modules[path] = Module(path, self.root)
        return self._modules[path]

    def _follow(
        self, module: Module, node: ast.AST, found: Reached, members: dict[str, ast.stmt]
    ) -> None:
        """Look at a definition, then at everything it names."""
        if id(node) in found.seen:
            return
        found.seen.add(id(node))
        own = _bound(node)
        for one in _telling(node):
            if isinstance(one, ast.Name):
                if isinstance(one.ctx, ast.Load) and one.id not in own:
                    self._name(module, one, one.id, found, members)
            elif isinstance(one, ast.Attribute):
                self._attribute(module, one, found, members)
            elif isinstance(one, ast.Import):
                for alias in one.names:
                    self._import(module, one, alias.name, found)
            elif isinstance(one, ast.ImportFrom):
                for _, full in _imported(one):
                    self._import(module, one, full, found)
            elif isinstance(one, ast.Constant | ast.Call):
                _look(module, one, found)
        for name in _fixtures(node):
            self._fixture(module, name, found, members)

    def _name(
        self, module: Module, at: ast.AST, name: str, found: Reached, members: dict[str, ast.stmt]
    ) -> None:
        if name in module.imports:
            self._import(module, at, module.imports[name], found)
        elif name in module.names:
            self._follow(module, module.names[name], found, members)

    def _import(self, module: Module, at: ast.AST, full: str, found: Reached) -> None:
        """An imported name: of the package it must be public, of the tests it is followed."""
        parts = full.split(".")
        if parts[0] == PACKAGE:
            if full != PACKAGE and not _is_public(full):
                found.wrong.append(module.said(at, f"{full} is not public"))
            return
        if parts[0] != "tests" or self._file(parts) is not None:
            return  # another library, or a module of the tests, followed where it is used
        home = self._file(parts[:-1])
        if home is not None and ".".join(parts[:-1]) not in TRUSTED_HELPERS:
            there = self._module(home)
            self._name(there, at, parts[-1], found, {})

    def _attribute(
        self, module: Module, node: ast.Attribute, found: Reached, members: dict[str, ast.stmt]
    ) -> None:
        base = node.value.id if isinstance(node.value, ast.Name) else ""
        stands_for = module.imports.get(base, "")
        if self._is_module(stands_for):
            self._import(module, node, f"{stands_for}.{node.attr}", found)
        elif base in {"self", "cls"}:
            if node.attr in members:
                self._follow(module, members[node.attr], found, members)
        elif node.attr.startswith("_") and not node.attr.startswith("__"):
            found.wrong.append(module.said(node, f"{node.attr} is private"))
        elif node.attr == "settings":
            found.wrong.append(module.said(node, "a setting is read instead of what it does"))

    def _fixture(
        self, module: Module, name: str, found: Reached, members: dict[str, ast.stmt]
    ) -> None:
        """A fixture of the class, the file, or a conftest.py of this folder or one above."""
        if name in members:
            self._follow(module, members[name], found, members)
        elif name in module.names or name in module.imports:
            self._name(module, module.tree, name, found, members)
        else:
            for folder in module.path.parents:
                if folder == self.root or not folder.is_relative_to(self.root):
                    return
                conftest = folder / "conftest.py"
                if conftest != module.path and conftest.exists():
                    there = self._module(conftest)
                    if name in there.names or name in there.imports:
                        self._name(there, there.tree, name, found, {})
                        return

    def _is_module(self, full: str) -> bool:
        parts = full.split(".")
        if parts[0] == PACKAGE:  # else a class, whose attributes are its own affair
            return not parts[-1][:1].isupper()
        return parts[0] == "tests" and self._file(parts) is not None

    def _file(self, parts: list[str]) -> Path | None:
        return _find_file(self.root, *parts)


@cache
def _find_file(root: Path, *parts: str) -> Path | None:
    """The file of a module; asked for thousands of names, of which few differ."""
    path = root.joinpath(*parts)
    if path.with_suffix(".py").is_file():
        return path.with_suffix(".py")
    return path / "__init__.py" if (path / "__init__.py").is_file() else None


@cache
def _is_public(full: str) -> bool:
    """Whether this dotted name can be imported by a user of the package."""
    if any(part.startswith("_") for part in full.split(".")):
        return full in {f"{PACKAGE}.__version__", f"{PACKAGE}.__all__"}
    head, _, name = full.rpartition(".")
    if head == PACKAGE and name in mnemic.__all__:
        return True
    return any(full == module or full.startswith(f"{module}.") for module in PUBLIC_MODULES)


@cache
def _names_a_part(text: str) -> bool:
    """Whether a text is the dotted name of something in the package, not of a file beside it."""
    found = _DOTTED.fullmatch(text)
    if found is None:
        return False
    return (_FOLDER / found[1]).is_dir() or (_FOLDER / f"{found[1]}.py").is_file()


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that imports bind, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                yield alias.asname or whole, whole
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


@cache
def _telling(node: ast.AST) -> list[ast.AST]:
    """Those parts of a definition that can name something; many tests share their helpers."""
    kinds = (ast.Name, ast.Attribute, ast.Import, ast.ImportFrom, ast.Constant, ast.Call)
    return [one for one in _used(node) if isinstance(one, kinds)]


def _used(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs: a type that only annotates is not used."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns"}:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST):
                    yield from _used(one)


def _members(node: ast.ClassDef) -> dict[str, ast.stmt]:
    return {one.name: one for one in node.body if isinstance(one, DEFINITIONS)}


@cache
def _bound(node: ast.AST) -> set[str]:
    """Names that a function binds itself, which are not those of its file."""
    if not isinstance(node, FUNCTIONS):
        return set()
    stored = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return stored | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}


def _fixtures(node: ast.AST) -> Iterator[str]:
    """What pytest hands to a test or a fixture by the names of its parameters."""
    if not isinstance(node, FUNCTIONS):
        return
    asked = any("fixture" in ast.unparse(one) for one in node.decorator_list)
    if asked or node.name.startswith("test"):
        yield from (one.arg for one in node.args.args + node.args.kwonlyargs)


def _look(module: Module, node: ast.Constant | ast.Call, found: Reached) -> None:
    """A part of the package, or a private attribute, by its name in quotes."""
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
        found.texts.add(text)
        if _names_a_part(text) and not _is_public(text):
            found.wrong.append(module.said(node, f"{text} is not public"))
        return
    called = node.func.id if isinstance(node.func, ast.Name) else ""
    if called in {"getattr", "setattr", "hasattr"} and len(node.args) > 1:
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
        if isinstance(name, str) and name.startswith("_"):
            found.wrong.append(module.said(node, f"{name} is private"))

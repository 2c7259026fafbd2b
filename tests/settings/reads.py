"""Which settings the source reads: attribute reads followed by type, without running anything.

An expression is a group of settings when its annotation says so (a parameter, an attribute of a
class, what a property gives), when it is a field of such a group, or when it was assigned from
one. Of an object that is not known, an attribute called like one that holds a group somewhere in
the source counts as that group.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mnemic.settings import Settings
from mnemic.settings.group import SettingsGroup

Groups = frozenset[type[SettingsGroup]]
NONE: Groups = frozenset()


def groups(group: type[SettingsGroup] = Settings) -> Iterator[type[SettingsGroup]]:
    yield group
    for setting in group.fields.values():
        if setting.group is not None:
            yield from groups(setting.group)


NAMED = {group.__name__: group for group in groups()}


def reads(sources: Iterable[str]) -> set[tuple[str, str]]:
    """Every (group, field) that is read."""
    trees = [ast.parse(source) for source in sources]
    anywhere: dict[str, Groups] = {"load": frozenset({Settings})}
    for tree in trees:
        for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for name, held in members(cls).items():
                anywhere[name] = anywhere.get(name, NONE) | held
    found: set[tuple[str, str]] = set()
    for tree in trees:
        Reader(anywhere, found).visit(tree)
    return found


def annotated(node: ast.expr | None) -> Groups:
    """The groups that an annotation names, plainly or in a union, a mapping or a list."""
    if node is None:
        return NONE
    names = {sub.id for sub in ast.walk(node) if isinstance(sub, ast.Name)}
    names |= {sub.attr for sub in ast.walk(node) if isinstance(sub, ast.Attribute)}
    return frozenset(NAMED[name] for name in names if name in NAMED)


def members(cls: ast.ClassDef) -> dict[str, Groups]:
    """The attributes of a class that hold groups."""
    found: dict[str, Groups] = {}
    for node in cls.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = annotated(node.annotation)
        if isinstance(node, ast.FunctionDef):
            found[node.name] = annotated(node.returns)
            given = {arg.arg: annotated(arg.annotation) for arg in arguments(node)}
            for target, value in assignments(node):
                if isinstance(target, ast.Attribute):
                    found[target.attr] = Reader({}, set(), given).type_of(value)
    return {name: groups for name, groups in found.items() if groups}


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value; tuples side by side."""
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            yield one.target, one.value
        for target in one.targets if isinstance(one, ast.Assign) else ():
            pairs = [(target, one.value)] if isinstance(one, ast.Assign) else []
            while pairs:
                left, right = pairs.pop()
                if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple):
                    pairs += zip(left.elts, right.elts, strict=False)
                else:
                    yield left, right


class Reader(ast.NodeVisitor):
    """Walks one module and notes what it reads."""

    def __init__(
        self,
        anywhere: Mapping[str, Groups],
        found: set[tuple[str, str]],
        names: Mapping[str, Groups] | None = None,
    ) -> None:
        self.anywhere, self.found = anywhere, found
        self.names = dict(names or {})
        self.own: Mapping[str, Groups] = {}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        before, self.own = self.own, members(node)
        self.generic_visit(node)
        self.own = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._scope(node, {arg.arg: annotated(arg.annotation) for arg in arguments(node)})

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._scope(node, {arg.arg: annotated(arg.annotation) for arg in arguments(node)})

    def _scope(self, node: ast.AST, given: Mapping[str, Groups]) -> None:
        before = self.names
        self.names = {**before, **given}
        for one in ast.walk(node):
            if isinstance(one, ast.For | ast.comprehension):
                self._loop(one.target, one.iter)
        for target, value in assignments(node):
            if isinstance(target, ast.Name) and (kind := self.type_of(value)):
                self.names[target.id] = kind
        self.generic_visit(node)
        self.names = before

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        """The entries of a table, by themselves or with their names."""
        kind = self.type_of(over)
        for name in ast.walk(target):
            if kind and isinstance(name, ast.Name):
                self.names[name.id] = kind

    def visit_Attribute(self, node: ast.Attribute) -> None:
        for group in self.type_of(node.value):
            if node.attr in group.fields:
                self.found.add((group.__name__, node.attr))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """``getattr(group, name)``: a literal name, or every field where it is computed."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
            for group in self.type_of(node.args[0]):
                self.found |= {(group.__name__, name) for name in _named(node.args[1], group)}
        self.generic_visit(node)

    def type_of(self, node: ast.expr) -> Groups:
        """The groups that an expression may be."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, NONE)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript | ast.NamedExpr):
            return self.type_of(node.value)
        if isinstance(node, ast.IfExp):
            return self.type_of(node.body) | self.type_of(node.orelse)
        if isinstance(node, ast.BoolOp | ast.Dict):
            return NONE.union(*map(self.type_of, node.values))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.anywhere.get(node.func.id, NONE)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            same = node.func.attr in ("get", "replace", "items", "values")
            return self.type_of(node.func.value if same else node.func)
        return NONE

    def _attribute(self, node: ast.Attribute) -> Groups:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.own.get(node.attr, NONE) or self.anywhere.get(node.attr, NONE)
        held = self.type_of(node.value)
        if not held:
            return self.anywhere.get(node.attr, NONE)
        inner = {group.fields[node.attr].group for group in held if node.attr in group.fields}
        return frozenset(filter(None, inner)) | annotated_property(held, node.attr)


def annotated_property(held: Groups, name: str) -> Groups:
    """What a property of a group gives, where that is a group."""
    found = [getattr(group, name, None) for group in held]
    kinds = [one.fget.__annotations__.get("return") for one in found if isinstance(one, property)]
    names = [getattr(kind, "__name__", str(kind)) for kind in kinds]
    return frozenset(NAMED[name] for name in names if name in NAMED)


def _named(name: ast.expr, group: type[SettingsGroup]) -> set[str]:
    if isinstance(name, ast.Constant):
        return {str(name.value)} & set(group.fields)
    if isinstance(name, ast.JoinedStr):  # f"{document}_file"
        ends = [part.value for part in name.values if isinstance(part, ast.Constant)]
        return {field for field in group.fields if all(field.endswith(str(end)) for end in ends)}
    return set(group.fields)


def source_files(root: Path) -> list[str]:
    """The texts of the package that have to do with settings, without those that declare them."""
    paths = sorted((root / "src" / "mnemic").rglob("*.py"))
    texts = [path.read_text("utf-8") for path in paths if path.parent.name != "settings"]
    return [text for text in texts if "ettings" in text]

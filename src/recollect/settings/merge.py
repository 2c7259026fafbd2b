"""Putting one layer of settings on top of another, each value checked as it goes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from recollect.settings.checks import check
from recollect.settings.codecs import Codec, Wrong, is_plain
from recollect.settings.problems import Problem, report, unknown, wrong
from recollect.settings.section import Field, Section
from recollect.settings.tree import Settings
from recollect.settings.values import Origin, Table

S = TypeVar("S", bound=Section)
Raw = Mapping[str, Any]
Path = tuple[str, ...]


class Text:
    """The text of an environment variable: the only text that may be read as a number."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Merge:
    """What was said so far: a tree of checked values, who said it, and what was wrong."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}
        self._origins: dict[str, Origin] = {}
        self._problems: list[Problem] = []
        self._seen: set[str] = set()
        self._origin = Origin("built-in")
        self._split = False

    def add(self, raw: Raw, origin: Origin, *, split: bool = False) -> None:
        """Put a layer on top. ``split``: its keys may be paths."""
        self._seen, self._origin, self._split = set(), origin, split
        self._section(Settings, (), raw)

    def add_variables(self, variables: Mapping[str, tuple[list[str], str]]) -> None:
        """Put environment variables on top: name, path and text of each."""
        self._seen, self._split = set(), False
        for name, (path, text) in variables.items():
            self._origin = Origin("environment", name)
            self._descend(Settings, (), path, Text(text))

    def settings(self, preset: str, chosen: Origin) -> Settings:
        """The outcome, or one error with everything that was wrong."""
        if self._problems:
            raise report(self._problems)
        self._tree["preset"] = preset
        settings = _build(Settings.trusted({}), self._tree)
        self._origins["preset"] = chosen
        built_in = Origin("built-in")
        origins = {key: self._origins.get(key, built_in) for key in _keys(settings, "")}
        problems = check(settings, origins)
        if problems:
            raise report(problems)
        object.__setattr__(settings, "_origins", Table(origins))
        return settings

    def _section(self, section: type[Section], at: Path, raw: Raw) -> None:
        for key, value in raw.items():
            path = str(key).replace("__", ".").split(".") if self._split else [str(key)]
            self._descend(section, at, path, value)

    def _descend(self, section: type[Section], at: Path, path: list[str], value: object) -> None:
        """Go down ``path`` from the section that stands at ``at``."""
        head, *rest = path
        here = (*at, head)
        field = section.fields.get(head)
        if field is None and head in section.spellings and not rest:
            name, codec = section.spellings[head]
            self._value((*at, name), codec, value, said=here)
        elif field is None or (rest and field.codec and not field.table):
            key = ".".join((*here, *rest))
            self._problems.append(unknown(key, section, ".".join(at), self._origin))
        elif field.table:
            self._table(field, here, rest, value)
        else:
            self._entry(field, here, rest, value)

    def _entry(self, field: Field, here: Path, rest: list[str], value: object) -> None:
        """A value, or a section to go down into."""
        if field.codec is not None:
            self._value(here, field.codec, value)
            return
        assert field.section is not None
        if rest:
            self._descend(field.section, here, rest, value)
        elif isinstance(value, field.section):
            self._section(field.section, here, _shallow(value))
        elif isinstance(value, Mapping):
            self._section(field.section, here, value)
        else:
            self._not_a_group(here, f"a group of {', '.join(field.section.fields)}")

    def _table(self, field: Field, here: Path, rest: list[str], value: object) -> None:
        """Named entries; a name is taken as it is, even with dots in it."""
        if rest and field.section is None:
            rest = [".".join(rest)]
        if rest and not (rest[0].strip() and is_plain(rest[0])):
            self._not_a_group(here, "names that are not empty")
        elif rest:
            self._entry(field, (*here, rest[0]), rest[1:], value)
        elif isinstance(value, Mapping):
            for name, item in value.items():
                self._table(field, here, [str(name)], item)
        else:
            self._not_a_group(here, "a table of names")

    def _value(self, path: Path, codec: Codec, value: object, *, said: Path = ()) -> None:
        key, name = ".".join(path), ".".join(said or path)
        if key in self._seen:
            what = f"{name} (from {self._origin}): it was said before, in another way"
            self._problems.append(Problem(what, "Keep one of the two"))
            return
        self._seen.add(key)
        try:
            checked = codec.parse(value.text) if isinstance(value, Text) else codec.read(value)
        except Wrong as why:
            shown = "" if codec.secret else f"{getattr(value, 'text', value)!r:.60}"
            self._problems.append(wrong(name, shown, str(why), codec.allowed, self._origin))
            return
        branch = self._tree
        for step in path[:-1]:
            branch = branch.setdefault(step, {})
        branch[path[-1]] = checked
        self._origins[key] = self._origin

    def _not_a_group(self, path: Path, allowed: str) -> None:
        why = "it takes no value of its own"
        self._problems.append(wrong(".".join(path), "", why, allowed, self._origin))


def _shallow(section: Section) -> dict[str, Any]:
    return {name: getattr(section, name) for name in type(section).fields}


def _build(default: S, tree: Raw) -> S:
    """The section with what the tree says, else as in ``default``."""
    values = _shallow(default)
    for name, said in tree.items():
        field, known = type(default).fields[name], values[name]
        if field.table:
            values[name] = Table({**known, **_entries(field, known, said)})
        elif field.section is not None:
            values[name] = _build(known, said)
        else:
            values[name] = said
    return type(default).trusted(values)


def _entries(field: Field, known: Raw, said: Raw) -> Raw:
    section = field.section
    if section is None:
        return said
    return {
        name: _build(known[name] if name in known else section.trusted({}), item)
        for name, item in said.items()
    }


def _keys(section: Section, prefix: str) -> Iterator[str]:
    """Every key these settings have, entries of tables included."""
    for name, field in type(section).fields.items():
        value, key = getattr(section, name), prefix + name
        items = {f"{key}.{entry}": value[entry] for entry in value} if field.table else {key: value}
        for path, item in items.items():
            if field.section is None:
                yield path
            else:
                yield from _keys(item, f"{path}.")

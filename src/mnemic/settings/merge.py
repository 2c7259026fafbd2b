"""One layer of settings on top of another, each value checked as it goes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from mnemic.settings.checks import check
from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.names import put
from mnemic.settings.problems import Problem, refuse_unnamed, report, unknown, wrong
from mnemic.settings.sorts import Sort, Wrong, is_plain, leads_out
from mnemic.settings.tree import Settings
from mnemic.settings.values import Table, ValueOrigin

G = TypeVar("G", bound=SettingsGroup)
Raw = Mapping[str, Any]
Path = tuple[str, ...]


class Text(NamedTuple):
    """The text of an environment variable: the only text that may be read as a number."""

    text: str


class Merge:
    """Values of all layers so far, nested, the origin of each, and the problems found."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._origins: dict[str, ValueOrigin] = {}
        self._problems: list[Problem] = []
        self._set_paths: set[Path] = set()  # by the layer that is being added
        self._origin = ValueOrigin("built-in")
        self._found = False

    def add(
        self, raw: Raw, origin: ValueOrigin, *, split: bool = False, is_found: bool = False
    ) -> None:
        """Put a layer on top. ``split``: its keys may be paths. ``is_found``: it is a file that
        nobody named, which may neither name a server nor leave its folder.
        """
        self._set_paths, self._origin, self._found = set(), origin, is_found
        self._group(Settings, (), raw, split=split)
        self._found = False

    def add_variables(self, variables: Mapping[str, tuple[list[str], str]]) -> None:
        """Put environment variables on top: name, path and text of each."""
        self._set_paths = set()
        for name, (path, text) in variables.items():
            self._origin = ValueOrigin("environment", name)
            self._descend(Settings, (), path, Text(text))

    def settings(self, preset: str, chosen: ValueOrigin) -> Settings:
        """The outcome, or one error with everything that was wrong."""
        if self._problems:
            raise report(self._problems)
        self._values["preset"] = preset
        self._origins["preset"] = chosen
        settings = _build(Settings(), self._values)
        built_in = ValueOrigin("built-in")
        origins = {key: self._origins.get(key, built_in) for key, *_ in settings.leaves()}
        if problems := check(settings, origins):
            raise report(problems)
        return settings.with_origins(origins)

    def _group(
        self, group: type[SettingsGroup], at: Path, raw: Raw, *, split: bool = False
    ) -> None:
        for key, value in raw.items():
            path = str(key).replace("__", ".").split(".") if split else [str(key)]
            self._descend(group, at, path, value)

    def _descend(
        self, group: type[SettingsGroup], at: Path, path: list[str], value: object
    ) -> None:
        """Go down ``path`` from the group that stands at ``at``."""
        head, *rest = path
        setting = group.fields.get(head)
        if setting is None and head in group.spellings and not rest:
            name, sort = group.spellings[head]
            self._value((*at, name), sort, value, word=head)
        elif setting is None or (rest and setting.sort and not setting.table):
            key = ".".join((*at, *path))
            self._problems.append(unknown(key, group, ".".join(at), self._origin))
        elif setting.table:
            self._table(setting, (*at, head), rest, value)
        else:
            self._entry(setting, (*at, head), rest, value)

    def _entry(self, setting: Setting, here: Path, rest: list[str], value: object) -> None:
        """A value, or a group to go down into."""
        if setting.sort is not None:
            self._value(here, setting.sort, value)
            return
        assert setting.group is not None
        if rest:
            self._descend(setting.group, here, rest, value)
        elif isinstance(value, setting.group):
            self._group(setting.group, here, value.values())
        elif isinstance(value, Mapping):
            self._group(setting.group, here, value)
        else:
            self._not_a_group(here, f"a group of {', '.join(setting.group.fields)}")

    def _table(self, setting: Setting, here: Path, rest: list[str], value: object) -> None:
        """Named entries; a name is taken as it is, even with dots in it."""
        if rest and setting.group is None:
            rest = [".".join(rest)]
        if rest and setting.closed and rest[0] not in setting.default:
            key = ".".join((*here, *rest))
            self._problems.append(unknown(key, setting, ".".join(here), self._origin))
        elif rest and not (rest[0].strip() and is_plain(rest[0])):
            self._not_a_group(here, "names that are not empty")
        elif rest:
            if setting.group is not None and value == {} and not rest[1:]:
                value = setting.group()  # named, and all of it as by default
            self._entry(setting, (*here, rest[0]), rest[1:], value)
        elif isinstance(value, Mapping):
            for name, item in value.items():
                self._table(setting, here, [str(name)], item)
        else:
            self._not_a_group(here, "a table of names")

    def _value(self, path: Path, sort: Sort, value: object, *, word: str = "") -> None:
        name = ".".join((*path[:-1], word or path[-1]))
        if path in self._set_paths:
            what = f"{name} (from {self._origin}): it was given before, in another way"
            self._problems.append(Problem(what, "Keep one of the two"))
            return
        self._set_paths.add(path)
        try:
            checked = sort.parse(value.text) if isinstance(value, Text) else sort.read(value)
        except Wrong as why:
            text = "" if sort.secret else _brief(getattr(value, "text", value))
            self._problems.append(wrong(name, text, str(why), sort.allowed, self._origin))
            return
        elsewhere = sort.name == "url" or (sort.name == "place" and leads_out(checked))
        if self._found and checked and elsewhere:
            self._problems.append(refuse_unnamed(name, _brief(value), self._origin))
            return
        put(self._values, path, checked)
        self._origins[".".join(path)] = self._origin

    def _not_a_group(self, path: Path, allowed: str) -> None:
        why = "it takes no value of its own"
        self._problems.append(wrong(".".join(path), "", why, allowed, self._origin))


def _brief(value: object) -> str:
    try:
        return f"{value!r:.60}"
    except ValueError:  # a number with more digits than Python writes
        return "a number that is too long to show"


def _build(default: G, tree: Raw) -> G:
    """The group with what the tree gives, else as in ``default``."""
    values = default.values()
    for name, value in tree.items():
        setting, before = type(default).fields[name], values[name]
        group = setting.group
        if setting.table and group is not None:
            built = {key: _build(before.get(key) or group(), item) for key, item in value.items()}
            values[name] = Table({**before, **built})
        elif setting.table:
            values[name] = Table({**before, **value})
        elif group is not None:
            values[name] = _build(before, value)
        else:
            values[name] = value
    return type(default).build(values)

"""Groups of settings: frozen, keyword-only value classes.

A field is declared by its annotation: ``limit: int = 10``, or ``limit: int = setting(10, low=1)``
where its type alone does not say what it takes. What it is for is in ``sentences.tsv``.

To a type checker a ``SettingsGroup`` is a frozen dataclass. At run time its few methods are written
here, since ``dataclasses`` compiles some six functions for every class: for the classes of this
package that is more than all else a start of the command does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Self,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from mnemic.errors import ConfigError
from mnemic.settings.sorts import Sort, Wrong, sort_of
from mnemic.settings.values import Table


class Setting:
    """A value, a group, or a table of either; ``closed`` takes the default's names only."""

    __slots__ = ("_limits", "closed", "default", "group", "sort", "table")

    def __init__(self, default: Any, *, closed: bool = False, **limits: Any) -> None:
        self.default, self.closed, self._limits = default, closed, limits
        self.sort: Sort | None = None
        self.group: type[SettingsGroup] | None = None
        self.table = False

    @classmethod
    def of_group(cls, default: SettingsGroup) -> Self:
        setting = cls(default)
        setting.group = type(default)
        return setting

    def read_annotation(self, annotation: Any) -> None:
        """Take the sort that the annotation says, and check the default by it."""
        self.table = get_origin(annotation) is Table
        item = get_args(annotation)[0] if self.table else annotation
        if isinstance(item, type) and issubclass(item, SettingsGroup):
            self.group = item
        else:
            self.sort = sort_of(item, **self._limits)
        if self.table:
            read = self.sort.read if self.sort else lambda value: value
            self.default = Table({name: read(value) for name, value in self.default.items()})
        elif self.sort is not None:
            self.default = self.sort.read(self.default)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class SettingsGroup:
    """Base of every group."""

    fields: ClassVar[dict[str, Setting]]
    # Other words for a field of this group: word -> (field, how to read it).
    spellings: ClassVar[Mapping[str, tuple[str, Sort]]] = {}

    def __init_subclass__(cls) -> None:
        cls.fields = {}
        for name, annotation in cls.__annotations__.items():
            declared, origin = vars(cls).get(name), cast("object", get_origin(annotation))
            if origin is ClassVar:
                continue
            if isinstance(declared, SettingsGroup):
                declared = Setting.of_group(declared)
            else:
                declared = declared if isinstance(declared, Setting) else Setting(declared)
                declared.read_annotation(annotation)
            cls.fields[name] = declared

    def __init__(self, **values: object) -> None:
        """Values given here are as strictly checked as those of a file."""
        unknown = sorted(set(values) - set(self.fields))
        if unknown:
            raise ConfigError(
                f"{type(self).__name__} has no setting {', '.join(unknown)}",
                remedy=f"It has {', '.join(self.fields)}",
            )
        for name, setting in self.fields.items():
            value = values.get(name, setting.default)
            label = f"{type(self).__name__}.{name}"
            self.__dict__[name] = _check(label, setting, value) if name in values else value

    @classmethod
    def build(cls, values: Mapping[str, object]) -> Self:
        """A group of values that were checked already, one for each field."""
        group = object.__new__(cls)
        group.__dict__.update(values)
        return group

    def replace(self, **changes: object) -> Self:
        """The same group with these fields changed."""
        return type(self)(**{**self.values(), **changes})

    def values(self) -> dict[str, Any]:
        """Each field with its value."""
        return {name: self.__dict__[name] for name in self.fields}

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, Setting, Any]]:
        """Each setting with its dotted key and its value, entries of tables included."""
        for name, setting in self.fields.items():
            key, value = prefix + name, self.__dict__[name]
            items = (
                {f"{key}.{word}": value[word] for word in value} if setting.table else {key: value}
            )
            for path, item in items.items():
                if setting.group is None:
                    yield path, setting, item
                else:
                    yield from item.leaves(f"{path}.")

    if not TYPE_CHECKING:  # A type checker that saw these would allow any attribute to be set.

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"settings cannot be changed: use replace({name}=...)")

        def __delattr__(self, name: str) -> None:
            raise AttributeError("settings cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash((type(self), *self.values().values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"{type(self).__name__}({fields})"

    def __deepcopy__(self, memo: object) -> Self:
        return self


def _check(name: str, setting: Setting, value: object) -> object:
    if not setting.table:
        return _item(name, setting, value)
    if not isinstance(value, Mapping):
        raise ConfigError(f"{name} is {type(value).__name__}", remedy="It takes a mapping of names")
    return Table({key: _item(f"{name}[{key!r}]", setting, item) for key, item in value.items()})


def _item(name: str, setting: Setting, value: object) -> object:
    if setting.sort is None:
        assert setting.group is not None
        if isinstance(value, setting.group):
            return value
        remedy = f"It takes {setting.group.__name__}(...)"
        raise ConfigError(f"{name} is {type(value).__name__}", remedy=remedy)
    try:
        return setting.sort.read(value)
    except Wrong as wrong:
        equals = "" if setting.sort.secret else f" = {value!r:.60}"
        remedy = f"It takes {setting.sort.allowed}"
        raise ConfigError(f"{name}{equals} {wrong}", remedy=remedy) from None


def setting(default: Any, *, closed: bool = False, **limits: Any) -> Any:
    """One setting. Its annotation says what it takes, ``limits`` what of that: ``low`` and
    ``high``, ``above`` for more than ``low``, ``empty``, the ``options`` of a wider type.

    A ``closed`` table takes no names but those of its default.
    """
    return Setting(default, closed=closed, **limits)


def ratio(default: float) -> Any:
    """A probability, share, weight or score: 0 to 1."""
    return setting(default, high=1)

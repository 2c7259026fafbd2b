"""Groups of settings: frozen, keyword-only value classes whose fields explain themselves.

To a type checker a ``SettingsGroup`` is a frozen dataclass. At run time its few methods are written
here, since ``dataclasses`` compiles some six functions for every class: for the classes of this
package that is more than all else a start of the command does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast, dataclass_transform, get_args

from mnemic.errors import ConfigError
from mnemic.settings import sorts
from mnemic.settings.sorts import Sort, Wrong
from mnemic.settings.values import Secret, Size, Span, Table

G = TypeVar("G", bound="SettingsGroup")
C = TypeVar("C", bound=str)


class Setting:
    """One entry of a group: a value of some sort, a group, or a table of either by name.

    ``closed``: the table takes no names but those of its default.
    """

    __slots__ = ("closed", "default", "doc", "group", "sort", "table")

    def __init__(
        self,
        default: object,
        doc: str,
        *,
        sort: Sort | None = None,
        group: type[SettingsGroup] | None = None,
        table: bool = False,
        closed: bool = False,
    ) -> None:
        self.default, self.doc, self.sort = default, doc, sort
        self.group, self.table, self.closed = group, table, closed


@dataclass_transform(frozen_default=True, kw_only_default=True)
class SettingsGroup:
    """Base of every group."""

    fields: ClassVar[dict[str, Setting]]
    # Other words for a field of this group: word -> (field, how to read it).
    spellings: ClassVar[Mapping[str, tuple[str, Sort]]] = {}

    def __init_subclass__(cls) -> None:
        cls.fields = {name: one for name, one in vars(cls).items() if isinstance(one, Setting)}

    def __init__(self, **values: object) -> None:
        """Values given here are as strictly checked as those of a file."""
        unknown = sorted(set(values) - set(self.fields))
        if unknown:
            raise ConfigError(
                f"{type(self).__name__} has no setting {', '.join(unknown)}",
                remedy=f"It has {', '.join(self.fields)}",
            )
        for name, setting in self.fields.items():
            value = setting.default
            if name in values:
                value = _checked(f"{type(self).__name__}.{name}", setting, values[name])
            self.__dict__[name] = value

    @classmethod
    def trusted(cls, values: Mapping[str, object]) -> Self:
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


def _checked(name: str, setting: Setting, value: object) -> object:
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


# --- declarations: each has the type that its field holds -----------------------------------------


def custom(default: Any, sort: Sort, doc: str) -> Any:
    return Setting(sort.read(default), doc, sort=sort)


def flag(default: bool, doc: str) -> bool:
    return cast("bool", custom(default, sorts.flag(), doc))


def count(default: int, doc: str, *, low: int = 0, high: int | None = None) -> int:
    return cast("int", custom(default, sorts.whole(low, high), doc))


def number(
    default: float, doc: str, *, low: float = 0, high: float | None = None, above: bool = False
) -> float:
    return cast("float", custom(default, sorts.real(low, high, above=above), doc))


def ratio(default: float, doc: str) -> float:
    """A probability, share, weight or score: 0 to 1."""
    return number(default, doc, low=0, high=1)


def choice(default: C, options: object, doc: str) -> C:
    """``options`` is the Literal type of the field."""
    return cast("C", custom(default, sorts.choice(get_args(options)), doc))


def served_by(default: str, options: object, doc: str, plugins: str) -> str:
    """One of ours, or one of another distribution's that is installed."""
    return cast("str", custom(default, sorts.choice(get_args(options), plugins), doc))


def text(default: str, doc: str, *, empty: bool = True) -> str:
    return cast("str", custom(default, sorts.text(empty=empty), doc))


def place(default: str, doc: str, *, empty: bool = True) -> str:
    """The path of a file or folder, which may be anywhere."""
    return cast("str", custom(default, sorts.place(empty=empty), doc))


def inside(default: str, doc: str) -> str:
    """The name of a file or folder that stays inside the folder it belongs to."""
    return cast("str", custom(default, sorts.inside(), doc))


def url(default: str, doc: str) -> str:
    return cast("str", custom(default, sorts.url(), doc))


def secret(doc: str) -> Secret:
    return cast("Secret", custom("", sorts.secret(), doc))


def span(default: str, doc: str) -> timedelta:
    return cast("timedelta", custom(default, sorts.span(never=False), doc))


def span_or_never(default: str, doc: str) -> timedelta | None:
    return cast("timedelta", custom(default, sorts.span(never=True), doc))


def names(default: tuple[C, ...], options: object, doc: str) -> tuple[C, ...]:
    """``options`` is the Literal type of one name, or None for free texts."""
    return cast("tuple[C, ...]", custom(default, sorts.names(get_args(options)), doc))


def between(low: int, high: int, doc: str, *, least: int = 0) -> Span:
    return cast("Span", custom((low, high), sorts.pair(least), doc))


def sizes(default: Mapping[str, int | str], doc: str) -> Table[Size]:
    """A size for each of these names."""
    return cast("Table[Size]", table_of(sorts.size(), default, doc, closed=True))


def group(kind: type[G], **changes: object) -> G:
    """A group inside a group; ``changes`` are its defaults where they differ in this place."""
    doc = (kind.__doc__ or "").strip().partition("\n")[0]
    return cast("G", Setting(kind(**changes), doc, group=kind))


def table(item: type[G], doc: str) -> Table[G]:
    """Named groups of one sort; none by default."""
    return cast("Table[G]", Setting(Table(), doc, group=item, table=True))


def table_of(
    sort: Sort, entries: Mapping[str, Any], doc: str, *, closed: bool = False
) -> Table[Any]:
    """Named values of one sort."""
    default = Table({name: sort.read(value) for name, value in entries.items()})
    return cast("Table[Any]", Setting(default, doc, sort=sort, table=True, closed=closed))

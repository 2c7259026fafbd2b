"""Groups of settings: frozen, slotted, keyword-only value classes whose fields explain themselves.

To a type checker a ``Section`` is a frozen dataclass. At run time it is made by a few lines here
rather than by ``dataclasses``, which compiles some six functions for every class: for the classes
of this package that is some 40 ms of every start, most of what a command may take.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast, dataclass_transform, get_args

from recollect.errors import ConfigError
from recollect.settings import codecs
from recollect.settings.values import Secret, Size, Span, Table

S = TypeVar("S", bound="Section")
T = TypeVar("T")
C = TypeVar("C", bound=str)


class Field:
    """One entry of a section: a value (``codec``), a section, or a table of either."""

    __slots__ = ("codec", "default", "doc", "section", "table")

    def __init__(
        self,
        default: object,
        doc: str,
        *,
        codec: codecs.Codec | None = None,
        section: type[Section] | None = None,
        table: bool = False,
    ) -> None:
        self.default, self.doc = default, doc
        self.codec, self.section, self.table = codec, section, table


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _SectionType(type):
    """Takes the fields out of the class body and makes slots of them."""

    fields: dict[str, Field]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        fields = {key: value for key, value in namespace.items() if isinstance(value, Field)}
        for key in fields:
            del namespace[key]
        namespace["__slots__"] = (*fields, *namespace.get("__slots__", ()))
        cls = super().__new__(mcs, name, bases, namespace)
        cls.fields = fields
        return cls


class Section(metaclass=_SectionType):
    """Base of every group of settings."""

    # Other words for a field of this section: word -> (field, how to read it).
    spellings: ClassVar[Mapping[str, tuple[str, codecs.Codec]]] = {}

    def __init__(self, **values: object) -> None:
        for name, field in type(self).fields.items():
            value = field.default
            if name in values:
                value = _checked(f"{type(self).__name__}.{name}", field, values.pop(name))
            object.__setattr__(self, name, value)
        if values:
            known = ", ".join(type(self).fields)
            raise ConfigError(
                f"{type(self).__name__} has no setting {', '.join(sorted(values))}",
                remedy=f"It has {known}",
            )

    @classmethod
    def trusted(cls, values: Mapping[str, object]) -> Self:
        """Build from values that were checked already."""
        section = object.__new__(cls)
        for name, field in cls.fields.items():
            object.__setattr__(section, name, values.get(name, field.default))
        return section

    def replace(self, **changes: object) -> Self:
        """The same section with these fields changed."""
        return type(self)(**{**self._values(), **changes})

    def _values(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in type(self).fields}

    if not TYPE_CHECKING:  # A type checker that saw these would allow any attribute to be set.

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"settings cannot be changed: use replace({name}=...)")

        def __delattr__(self, name: str) -> None:
            raise AttributeError("settings cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), *self._values().values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__name__}({inside})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restore, (type(self), self._values())


def _restore(cls: type[Section], values: Mapping[str, object]) -> Section:
    return cls.trusted(values)


def _checked(name: str, field: Field, value: object) -> object:
    """A value given to a constructor, as strictly checked as one from a file."""
    if field.table and isinstance(value, Mapping):
        return Table({key: _item(f"{name}[{key!r}]", field, v) for key, v in value.items()})
    if field.table:
        raise ConfigError(f"{name} is {type(value).__name__}", remedy="It takes a mapping of names")
    return _item(name, field, value)


def _item(name: str, field: Field, value: object) -> object:
    if field.section is not None:
        if isinstance(value, field.section):
            return value
        raise ConfigError(
            f"{name} is {type(value).__name__}", remedy=f"It takes {field.section.__name__}(...)"
        )
    assert field.codec is not None
    try:
        return field.codec.read(value)
    except codecs.Wrong as wrong:
        shown = "" if field.codec.secret else f" = {value!r:.60}"
        raise ConfigError(
            f"{name}{shown} {wrong}", remedy=f"It takes {field.codec.allowed}"
        ) from None


def _leaf(codec: codecs.Codec, default: object, doc: str) -> Any:
    return Field(codec.read(default), doc, codec=codec)


def flag(default: bool, doc: str) -> bool:
    return cast("bool", _leaf(codecs.Flag(), default, doc))


def count(default: int, doc: str, *, low: int = 0, high: int | None = None) -> int:
    return cast("int", _leaf(codecs.Whole(low, high), default, doc))


def number(
    default: float, doc: str, *, low: float = 0, high: float | None = None, above: bool = False
) -> float:
    return cast("float", _leaf(codecs.Real(low, high, above=above), default, doc))


def ratio(default: float, doc: str) -> float:
    """A probability, share, weight or score: 0 to 1."""
    return number(default, doc, low=0, high=1)


def choice(default: C, options: object, doc: str) -> C:
    """``options`` is the Literal type of the field."""
    return cast("C", _leaf(codecs.Choice(get_args(options)), default, doc))


def text(default: str, doc: str, *, empty: bool = True) -> str:
    return cast("str", _leaf(codecs.Text(empty=empty), default, doc))


def inside(default: str, doc: str) -> str:
    """The name of a file or folder that stays inside the folder it belongs to."""
    return cast("str", _leaf(codecs.Inside(), default, doc))


def url(default: str, doc: str) -> str:
    return cast("str", _leaf(codecs.Url(), default, doc))


def secret(doc: str) -> Secret:
    return cast("Secret", _leaf(codecs.SecretText(), "", doc))


def span(default: str, doc: str, *, zero: bool = False) -> timedelta:
    return cast("timedelta", _leaf(codecs.Duration(never=False, zero=zero), default, doc))


def span_or_never(default: str, doc: str) -> timedelta | None:
    return cast("timedelta", _leaf(codecs.Duration(never=True, zero=False), default, doc))


def life(default: str, doc: str) -> timedelta | str | None:
    return cast("timedelta", _leaf(codecs.Life(), default, doc))


def names(default: tuple[C, ...], options: object, doc: str) -> tuple[C, ...]:
    """``options`` is the Literal type of one name, or None for free texts."""
    return cast("tuple[C, ...]", _leaf(codecs.Names(get_args(options)), default, doc))


def between(low: int, high: int, doc: str, *, least: int = 0) -> Span:
    return cast("Span", _leaf(codecs.Spans(least), (low, high), doc))


def size(default: int | str, doc: str) -> Size:
    return cast("Size", _leaf(codecs.Sizes(), default, doc))


def custom(default: Any, codec: codecs.Codec, doc: str) -> Any:
    return _leaf(codec, default, doc)


def group(section: type[S], **changes: object) -> S:
    """A section inside a section; ``changes`` are its defaults where they differ in this place."""
    default = section(**{key: _read(section, key, value) for key, value in changes.items()})
    return cast("S", Field(default, _first_line(section), section=section))


def table(item: type[S], doc: str, **entries: S) -> Table[S]:
    """Named sections of one sort."""
    return cast("Table[S]", Field(Table(entries), doc, section=item, table=True))


def table_of(codec: codecs.Codec, entries: Mapping[str, Any], doc: str) -> Table[Any]:
    """Named plain values of one sort."""
    default = Table({name: codec.read(value) for name, value in entries.items()})
    return cast("Table[Any]", Field(default, doc, codec=codec, table=True))


def _read(section: type[Section], key: str, value: object) -> object:
    codec = section.fields[key].codec
    return codec.read(value) if codec else value


def _first_line(section: type[Section]) -> str:
    return (section.__doc__ or "").strip().partition("\n")[0]

"""JSON of the public types: values out of JSON by their annotations, and JSON Schemas of them.

``read`` makes the value an annotation asks for, or says where the JSON differs; ``schema_of`` tells
the same to other programs. The annotations of `Mind` and of `mnemic.types` are the one
definition of both. JSON out of a value is `mnemic.plain`.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import (
    Any,
    ForwardRef,
    Literal,
    NewType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from mnemic.errors import InvalidInput
from mnemic.types import Json
from mnemic.upkeep.report import Reason

Reader = Callable[[Any, str], Any]
Schema = dict[str, Any]

_LISTS = (list, tuple, set, frozenset, Sequence, Iterable, Collection)
_ANYTHING = (Any, object, Json)
_TIME = "a time such as 2026-02-12T09:30:00Z"
_SECONDS = "a number of seconds within centuries"
_SCALARS: dict[type, tuple[str, str]] = {
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    type(None): ("null", "null"),
}


def read(annotation: Any, value: Any, name: str = "", *, strict: bool = True) -> Any:
    """The value of that type; InvalidInput names the place that does not fit.

    ``strict`` refuses fields that the type does not have; a client is not, so that it understands a
    newer service.
    """
    return _reader(annotation, strict)(value, name)


def _wrong(name: str, wanted: str) -> InvalidInput:
    return InvalidInput(f"{name or 'The value'} is not {wanted}", remedy=f"Send {wanted}")


@cache
def _reader(annotation: Any, strict: bool) -> Reader:  # noqa: PLR0911
    if annotation in _ANYTHING or isinstance(annotation, ForwardRef | str):
        return lambda value, name: value
    if isinstance(annotation, NewType):
        return _reader(annotation.__supertype__, strict)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _union([*inner], strict)
    if origin is Literal:
        return _choice(inner)
    if origin is tuple and inner[-1:] != (...,):
        return _tuple([_reader(kind, strict) for kind in inner])
    if origin in _LISTS:
        return _list(_reader(inner[0], strict), tuple if origin is tuple else list)
    if origin in (dict, Mapping):
        return _mapping(_reader(inner[1], strict))
    if is_typeddict(annotation):
        return _fields(annotation, annotation, get_type_hints(annotation), set(), strict)
    if dataclasses.is_dataclass(annotation):
        return _fields(annotation, annotation, _hints(annotation), _need(annotation), strict)
    return _leaf(annotation)


def _leaf(annotation: Any) -> Reader:
    if annotation in _SCALARS:
        return _scalar(annotation)
    if annotation in (datetime, date):
        wanted = _TIME if annotation is datetime else "a day as 2026-02-12"
        # A day may be given as any moment of it, here as in a call.
        return _convert(lambda v: (datetime if "T" in v else annotation).fromisoformat(v), wanted)
    if annotation is timedelta:
        number, span = _scalar(float), _convert(lambda v: timedelta(seconds=v), _SECONDS)
        return lambda value, name: span(number(value, name), name)
    text = _scalar(str)
    if annotation is Path:
        return lambda value, name: Path(text(value, name))
    if annotation is Reason:
        return lambda value, name: Reason(text(value, name), value)
    raise TypeError(f"JSON has no form for {annotation!r}")


def _convert(make: Callable[[Any], Any], wanted: str) -> Reader:
    """What a function makes of the JSON; it refuses by an error of Python."""

    def convert(value: Any, name: str) -> Any:
        try:
            return make(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise _wrong(name, wanted) from error

    return convert


def _scalar(kind: type) -> Reader:
    takes: tuple[type, ...] = (int, float) if kind is float else (kind,)

    def convert(value: Any, name: str) -> Any:
        if type(value) not in takes:
            raise _wrong(name, _SCALARS[kind][1])
        return value

    return convert


def _choice(choices: tuple[Any, ...]) -> Reader:
    wanted = "one of " + ", ".join(map(str, choices))

    def convert(value: Any, name: str) -> Any:
        if isinstance(value, list | dict) or value not in choices:
            raise _wrong(name, wanted)
        return value

    return convert


def _list(reader: Reader, make: Callable[[list[Any]], Any]) -> Reader:
    def convert(value: Any, name: str) -> Any:
        if not isinstance(value, list):
            raise _wrong(name, "a list")
        return make([reader(entry, f"{name}[{number}]") for number, entry in enumerate(value)])

    return convert


def _tuple(readers: list[Reader]) -> Reader:
    def convert(value: Any, name: str) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise _wrong(name, f"a list of {len(readers)}")
        return tuple(reader(entry, name) for reader, entry in zip(readers, value, strict=True))

    return convert


def _mapping(reader: Reader) -> Reader:
    def convert(value: Any, name: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(name, "an object")
        return {key: reader(entry, f"{name}.{key}") for key, entry in value.items()}

    return convert


def _fields(
    kind: Any, make: Any, hints: Mapping[str, Any], required: set[str], strict: bool
) -> Reader:
    readers = {field: _reader(hint, strict) for field, hint in hints.items()}

    def convert(value: Any, name: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(name, f"an object ({kind.__name__})")
        before = f"{name}." if name else ""
        if missing := sorted(required - value.keys()):
            raise InvalidInput(
                f"{before}{missing[0]} is missing", remedy=f"Send {', '.join(sorted(required))}"
            )
        unknown = sorted(value.keys() - readers.keys())
        if unknown and strict:
            raise InvalidInput(
                f"{before}{unknown[0]} is not a field here", remedy=f"Use {', '.join(readers)}"
            )
        values = {
            field: readers[field](entry, before + field)
            for field, entry in value.items()
            if field in readers
        }
        return make(**values)

    return convert


def _union(choices: list[Any], strict: bool) -> Reader:
    """The first choice that fits: of dataclasses the one with these fields, mappings last."""
    last: tuple[Any, ...] = (dict, Mapping, str, Path)
    choices.sort(key=lambda choice: getattr(choice, "__origin__", choice) in last)
    readers = [(choice, _reader(choice, strict)) for choice in choices]
    objects = [kind for kind in choices if dataclasses.is_dataclass(kind) or is_typeddict(kind)]

    def convert(value: Any, name: str) -> Any:
        failed: InvalidInput | None = None
        for choice, reader in readers:
            try:
                return reader(value, name)
            except InvalidInput as error:
                # The one object type there is tells best what is wrong with an object.
                if failed is None or (isinstance(value, dict) and objects == [choice]):
                    failed = error
        assert failed is not None
        if isinstance(value, dict) and len(objects) == 1:
            raise failed
        raise _wrong(name, _describe(choices))

    return convert


def _describe(choices: Iterable[Any]) -> str:
    """Types in words, for a message."""
    words = []
    for choice in choices:
        if choice in _SCALARS:
            words.append(_SCALARS[choice][1])
        elif get_origin(choice) is Literal:
            words.append("one of " + ", ".join(map(str, get_args(choice))))
        elif get_origin(choice) in _LISTS:
            words.append("a list")
        else:
            words.append(f"a {getattr(choice, '__name__', 'value')}")
    return " or ".join(dict.fromkeys(words))


def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


def _need(kind: Any) -> set[str]:
    absent = dataclasses.MISSING
    return {
        field.name
        for field in dataclasses.fields(kind)
        if field.init and field.default is absent and field.default_factory is absent
    }


# --- JSON Schema ---------------------------------------------------------------------------------


class Schemas:
    """JSON Schemas, of classes once by name; fields with a default may be left out when sent."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def of(self, annotation: Any, *, sent: bool) -> Schema:  # noqa: PLR0911
        """The schema of one annotation, of what is ``sent`` or of what is answered."""
        if annotation in _ANYTHING or isinstance(annotation, ForwardRef | str):
            return {}
        if isinstance(annotation, NewType):
            return self.of(annotation.__supertype__, sent=sent)
        origin, inner = get_origin(annotation), get_args(annotation)
        if origin in (Union, types.UnionType):
            return _any_of([self.of(kind, sent=sent) for kind in inner])
        if origin is Literal:
            return {"type": "string", "enum": list(inner)}
        if origin is tuple and inner[-1:] != (...,):
            items = [self.of(kind, sent=sent) for kind in inner]
            return {
                "type": "array", "prefixItems": items, "items": False,
                "minItems": len(items), "maxItems": len(items),
            }  # fmt: skip
        if origin in _LISTS:
            return {"type": "array", "items": self.of(inner[0], sent=sent)}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(inner[1], sent=sent) or True}
        if is_typeddict(annotation):
            return self._object(annotation, get_type_hints(annotation), set(), sent)
        if dataclasses.is_dataclass(annotation):
            required = _need(annotation) if sent else set(_hints(annotation))
            return self._object(annotation, _hints(annotation), required, sent)
        return _leaf_schema(annotation)

    def _object(
        self, kind: Any, hints: Mapping[str, Any], required: set[str], sent: bool
    ) -> Schema:
        name = f"{kind.__name__}Input" if sent else str(kind.__name__)
        if name not in self.components:
            self.components[name] = {}  # a type that holds itself refers to it
            described: Schema = {
                "type": "object",
                "description": (kind.__doc__ or "").partition("\n\n")[0],
                "properties": {field: self.of(hint, sent=sent) for field, hint in hints.items()},
                "required": [field for field in hints if field in required],
            }
            if sent:
                described["additionalProperties"] = False
            self.components[name] = described
        return {"$ref": f"#/components/schemas/{name}"}


def _leaf_schema(annotation: Any) -> Schema:
    if annotation in _SCALARS:
        return {"type": _SCALARS[annotation][0]}
    if annotation is datetime:
        return {"type": "string", "format": "date-time"}
    if annotation is date:
        return {"type": "string", "format": "date"}
    if annotation is timedelta:
        return {"type": "number", "description": "Seconds"}
    return {"type": "string"}


def _any_of(schemas: list[Schema]) -> Schema:
    """One schema for several; choices of words are put together, and a time may be any text."""
    simple = [schema["type"] for schema in schemas if set(schema) == {"type"}]
    if "string" in simple:
        schemas = [schema for schema in schemas if schema.get("type") != "string"]
        schemas.append({"type": "string"})
    unique: list[Schema] = []
    for schema in schemas:
        if schema not in unique:
            unique.append(schema)
    words = [schema["enum"] for schema in unique if set(schema) == {"type", "enum"}]
    if len(words) > 1:
        unique = [schema for schema in unique if set(schema) != {"type", "enum"}]
        unique.append({"type": "string", "enum": [word for each in words for word in each]})
    plain = [schema["type"] for schema in unique if set(schema) == {"type"}]
    if len(plain) == len(unique) and len(plain) > 1:
        return {"type": plain}
    return unique[0] if len(unique) == 1 else {"anyOf": unique}

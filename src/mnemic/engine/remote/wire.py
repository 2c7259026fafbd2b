"""JSON of the public types: values out of JSON by their annotations, and JSON Schemas of them.

``read`` makes the value an annotation asks for, or says where the JSON differs; ``Schemas`` tells
the same to other programs. The annotations of `Mind` and of `mnemic.types` are the one definition
of both. JSON out of a value is `mnemic.plain`.
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
    NamedTuple,
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

# Takes the JSON, its place, and whether fields are refused that the type does not have.
Reader = Callable[[Any, str, bool], Any]
Schema = dict[str, Any]

_LISTS = (list, tuple, set, frozenset, Sequence, Iterable, Collection)
_ANYTHING = (Any, object, Json)
_TIME = "a time such as 2026-02-12T09:30:00Z"
_DAY = "a day as 2026-02-12"
_SECONDS = "a number of seconds within centuries"
_SCALARS: dict[type, tuple[str, str]] = {
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    type(None): ("null", "null"),
}


class Schemas:
    """JSON Schemas, of classes once by name; fields with a default may be left out when sent."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def of(self, annotation: Any, *, sent: bool) -> Schema:
        """The schema of one annotation, of what is ``sent`` or of what is answered."""
        return _form_of(annotation).schema(self, sent)


class _Form(NamedTuple):
    """A type in JSON: how it is read, its schema as sent or answered, and its name in a message."""

    read: Reader
    schema: Callable[[Schemas, bool], Schema]
    words: str


def read(annotation: Any, value: Any, name: str = "", *, strict: bool = True) -> Any:
    """The value of that type; InvalidInput names the place that does not fit.

    ``strict`` refuses fields that the type does not have; a client is not, so that it understands a
    newer service.
    """
    return _form_of(annotation).read(value, name, strict)


def _wrong(name: str, wanted: str) -> InvalidInput:
    return InvalidInput(f"{name or 'The value'} is not {wanted}", remedy=f"Send {wanted}")


@cache
def _form_of(annotation: Any) -> _Form:
    words = f"a {getattr(annotation, '__name__', 'value')}"
    if annotation in _ANYTHING or isinstance(annotation, ForwardRef | str):
        return _Form(lambda value, name, strict: value, lambda schemas, sent: {}, words)
    if isinstance(annotation, NewType):
        return _form_of(annotation.__supertype__)._replace(words=words)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _union(inner)
    if origin is Literal:
        return _choice(inner)
    if origin in _LISTS:
        forms = [_form_of(kind) for kind in inner if kind is not ...]
        is_fixed = origin is tuple and ... not in inner
        return _tuple(forms) if is_fixed else _list(forms[0], tuple if origin is tuple else list)
    if origin in (dict, Mapping):
        return _mapping(_form_of(inner[1]), words)
    if is_typeddict(annotation) or dataclasses.is_dataclass(annotation):
        return _object(annotation, words)
    return _leaf(annotation, words)


def _leaf(annotation: Any, words: str) -> _Form:
    text, string = _scalar(str), {"type": "string"}
    if annotation in _SCALARS:
        kind, words = _SCALARS[annotation]
        return _Form(_scalar(annotation), lambda schemas, sent: {"type": kind}, words)
    if annotation is datetime:
        schema = {**string, "format": "date-time"}
        return _Form(_convert(datetime.fromisoformat, _TIME), lambda schemas, sent: schema, words)
    if annotation is date:
        schema = {**string, "format": "date"}
        # A day may be given as any moment of it, here as in a call.
        day = _convert(lambda v: (datetime if "T" in v else date).fromisoformat(v), _DAY)
        return _Form(day, lambda schemas, sent: schema, words)
    if annotation is timedelta:
        number, span = _scalar(float), _convert(lambda v: timedelta(seconds=v), _SECONDS)
        return _Form(
            lambda value, name, strict: span(number(value, name, strict), name, strict),
            lambda schemas, sent: {"type": "number", "description": "Seconds"},
            words,
        )
    if annotation not in (Path, Reason):
        raise TypeError(f"JSON has no form for {annotation!r}")
    make = Path if annotation is Path else lambda value: Reason(value, value)
    return _Form(lambda *given: make(text(*given)), lambda schemas, sent: string, words)


def _convert(make: Callable[[Any], Any], wanted: str) -> Reader:
    """What a function makes of the JSON; it refuses by an error of Python."""

    def convert(value: Any, name: str, strict: bool) -> Any:
        try:
            return make(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise _wrong(name, wanted) from error

    return convert


def _scalar(kind: type) -> Reader:
    takes: tuple[type, ...] = (int, float) if kind is float else (kind,)

    def convert(value: Any, name: str, strict: bool) -> Any:
        if type(value) not in takes:
            raise _wrong(name, _SCALARS[kind][1])
        return value

    return convert


def _choice(choices: tuple[Any, ...]) -> _Form:
    wanted = "one of " + ", ".join(map(str, choices))

    def convert(value: Any, name: str, strict: bool) -> Any:
        if isinstance(value, list | dict) or value not in choices:
            raise _wrong(name, wanted)
        return value

    return _Form(convert, lambda schemas, sent: {"type": "string", "enum": [*choices]}, wanted)


def _list(entries: _Form, make: Callable[[list[Any]], Any]) -> _Form:
    def convert(value: Any, name: str, strict: bool) -> Any:
        if not isinstance(value, list):
            raise _wrong(name, "a list")
        return make([entries.read(v, f"{name}[{n}]", strict) for n, v in enumerate(value)])

    def schema(schemas: Schemas, sent: bool) -> Schema:
        return {"type": "array", "items": entries.schema(schemas, sent)}

    return _Form(convert, schema, "a list")


def _tuple(forms: list[_Form]) -> _Form:
    def convert(value: Any, name: str, strict: bool) -> Any:
        if not isinstance(value, list) or len(value) != len(forms):
            raise _wrong(name, f"a list of {len(forms)}")
        return tuple(form.read(v, name, strict) for form, v in zip(forms, value, strict=True))

    def schema(schemas: Schemas, sent: bool) -> Schema:
        items, size = [form.schema(schemas, sent) for form in forms], len(forms)
        bounds = {"minItems": size, "maxItems": size}
        return {"type": "array", "prefixItems": items, "items": False, **bounds}

    return _Form(convert, schema, "a list")


def _mapping(entries: _Form, words: str) -> _Form:
    def convert(value: Any, name: str, strict: bool) -> Any:
        if not isinstance(value, dict):
            raise _wrong(name, "an object")
        return {key: entries.read(v, f"{name}.{key}", strict) for key, v in value.items()}

    def schema(schemas: Schemas, sent: bool) -> Schema:
        return {"type": "object", "additionalProperties": entries.schema(schemas, sent) or True}

    return _Form(convert, schema, words)


def _object(kind: Any, words: str) -> _Form:
    """A dataclass, or a typed dict, which needs none of its fields."""
    hints, absent = get_type_hints(kind), dataclasses.MISSING
    required, always = set[str](), set[str]()
    if not is_typeddict(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        hints = {field.name: hints[field.name] for field in fields}
        always = set(hints)
        required = {f.name for f in fields if f.default is absent and f.default_factory is absent}
    forms = {field: _form_of(hint) for field, hint in hints.items()}

    def convert(value: Any, name: str, strict: bool) -> Any:
        if not isinstance(value, dict):
            raise _wrong(name, f"an object ({kind.__name__})")
        before = f"{name}." if name else ""
        if missing := sorted(required - value.keys()):
            raise InvalidInput(
                f"{before}{missing[0]} is missing", remedy=f"Send {', '.join(sorted(required))}"
            )
        unknown = sorted(value.keys() - forms.keys())
        if unknown and strict:
            raise InvalidInput(
                f"{before}{unknown[0]} is not a field here", remedy=f"Use {', '.join(forms)}"
            )
        sent = {field: entry for field, entry in value.items() if field in forms}
        return kind(**{f: forms[f].read(entry, before + f, strict) for f, entry in sent.items()})

    def schema(schemas: Schemas, sent: bool) -> Schema:
        name = f"{kind.__name__}Input" if sent else str(kind.__name__)
        if name not in schemas.components:
            described: Schema = {
                "type": "object",
                "description": (kind.__doc__ or "").partition("\n\n")[0],
                "properties": {f: form.schema(schemas, sent) for f, form in forms.items()},
                "required": [f for f in forms if f in (required if sent else always)],
            }
            if sent:
                described["additionalProperties"] = False
            schemas.components[name] = described
        return {"$ref": f"#/components/schemas/{name}"}

    return _Form(convert, schema, words)


def _union(inner: tuple[Any, ...]) -> _Form:
    """The first choice that fits: of dataclasses the one with these fields, mappings last."""
    last: tuple[Any, ...] = (dict, Mapping, str, Path)
    choices = sorted(inner, key=lambda choice: getattr(choice, "__origin__", choice) in last)
    forms = [(choice, _form_of(choice)) for choice in choices]
    objects = [kind for kind in choices if dataclasses.is_dataclass(kind) or is_typeddict(kind)]
    wanted = " or ".join(dict.fromkeys(form.words for _, form in forms))

    def convert(value: Any, name: str, strict: bool) -> Any:
        failed: InvalidInput | None = None
        for choice, form in forms:
            try:
                return form.read(value, name, strict)
            except InvalidInput as error:
                # The one object type there is tells best what is wrong with an object.
                if failed is None or (isinstance(value, dict) and objects == [choice]):
                    failed = error
        assert failed is not None
        if isinstance(value, dict) and len(objects) == 1:
            raise failed
        raise _wrong(name, wanted)

    def schema(schemas: Schemas, sent: bool) -> Schema:
        return _any_of([_form_of(kind).schema(schemas, sent) for kind in inner])

    return _Form(convert, schema, wanted)


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

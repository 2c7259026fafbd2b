"""Parameters of tools: their JSON Schema, and the validation of what models send.

Both are made from the keywords of the function that does the work. What a model reads of each is in
texts.toml, under the name of the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from mnemic.errors import InvalidInput
from mnemic.prompts import Language
from mnemic.settings.vocabulary import PresetVocabulary, fold
from mnemic.tools.texts import read_texts, text
from mnemic.types import KINDS

# Words of the preset's document, and a text that may be empty.
Kind = Annotated[str, "kind"]
Scope = Annotated[str, "scope"]
Priority = Annotated[str, "priority"]
AnyText = Annotated[str, "empty"]

ARGUMENT_CHARS = 10_000  # the longest text that a model may pass
_ECHOED = 40  # characters of an invalid value in an error
_SCHEMAS: dict[str, dict[str, Any]] = {
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "count": {"type": "integer", "minimum": 1},
    "offset": {"type": "integer", "minimum": 0},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "objects": {"type": "array", "minItems": 1},
}
_TYPES = {str: "text", float: "share", int: "count", bool: "flag"}
_OF_DOCUMENT = ("kind", "scope", "priority")
# A secret is kept when its owner asks for it, not because a model thought so.
_KINDS = tuple(kind for kind in KINDS if kind != "credential")


@dataclass(frozen=True, slots=True)
class ToolWords:
    """The words of the preset's document, and its names for the parameters of one tool."""

    words: PresetVocabulary
    tool: str

    @property
    def names(self) -> Mapping[str, str]:
        """The document's name of a parameter by the engine's."""
        named = {"kind": self.words.kinds.name, "duration": self.words.priorities.name}
        return {**named, **self.words.arguments.get(self.tool, {})}


PLAIN_WORDS = ToolWords(PresetVocabulary(), "")  # the engine's own


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: type, key of its description; ``of`` is the class of its objects."""

    field: str
    type: str
    about: str
    required: bool
    choices: tuple[str, ...] = ()
    of: Any = None

    def schema(self, language: Language, words: PresetVocabulary) -> dict[str, Any]:
        schema = dict(_SCHEMAS.get(self.type, {"type": "string"}))
        schema["description"] = text(self.about, language)
        if self.of is not None:
            schema["items"] = schema_of(self.of, language)
        choices = self.list_choices(words)
        return {**schema, "enum": list(choices)} if choices else schema

    def list_choices(self, words: PresetVocabulary) -> tuple[str, ...]:
        """What a model may choose from, in the words of the preset's document."""
        if self.type == "kind":
            return tuple(word for word in words.kinds.table or _KINDS if word != "credential")
        if self.type == "scope":
            return tuple(words.scopes.table)
        return tuple(words.priorities.table) if self.type == "priority" else self.choices

    def choose(self, value: str, words: PresetVocabulary) -> str | None:
        """The choice that is meant, also in the engine's own words or another case; else None."""
        choices = (*self.list_choices(words), *(_KINDS if self.type == "kind" else ()))
        if value in choices or self.type == "choice":
            return value if value in choices else None
        return next((choice for choice in choices if fold(choice) == fold(value)), None)


def read_parameters(call: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keywords of a function, or of a class, by their annotations."""
    hints = get_type_hints(call, include_extras=True)
    name, texts = call.__name__.lstrip("_"), read_texts()["arguments"]
    return tuple(
        Parameter(
            key,
            about=f"arguments.{name if key in texts.get(name, {}) else 'common'}.{key}",
            required=keyword.default is keyword.empty,
            **_read_annotation(key, hints[key]),
        )
        for key, keyword in inspect.signature(call).parameters.items()
        if keyword.kind is keyword.KEYWORD_ONLY
    )


def _read_annotation(name: str, annotation: Any) -> dict[str, Any]:
    """The type of a parameter, and what belongs to it."""
    inner = get_args(annotation)
    if type(None) in inner:
        (annotation,) = (choice for choice in inner if choice is not type(None))
        inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return {"type": "choice", "choices": inner}
    if get_origin(annotation) is tuple:
        return {"type": "texts"} if inner[0] is str else {"type": "objects", "of": inner[0]}
    if inner:  # Annotated
        return {"type": annotation.__metadata__[0]}
    return {"type": "offset" if name == "offset" else _TYPES[annotation]}


def schema_of(
    call: Callable[..., Any], language: Language, tool: ToolWords = PLAIN_WORDS
) -> dict[str, Any]:
    """The JSON Schema of a function's keywords, with the names that the document gives them."""
    offered = _offer(call, tool)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: entry.schema(language, tool.words) for name, entry in offered.items()},
        "additionalProperties": False,
    }
    required = [name for name, parameter in offered.items() if parameter.required]
    return {**schema, "required": required} if required else schema


def read_arguments(
    call: Callable[..., Any],
    values: Mapping[str, object],
    language: Language,
    tool: ToolWords = PLAIN_WORDS,
) -> dict[str, Any]:
    """The keywords of a model's call, by either name, or InvalidInput that says what to send."""
    offered = _offer(call, tool)
    arguments = {
        name if name in offered else tool.names.get(name, name): value
        for name, value in values.items()
    }
    for name in arguments:
        if name not in offered:
            names = ", ".join(offered)
            raise InvalidInput(
                text("values.unknown", language, name=_echo(name)),
                remedy=text(f"values.{'allowed' if offered else 'none'}", language, names=names),
            )
    checked: dict[str, Any] = {}
    for name, parameter in offered.items():
        value = arguments.get(name)
        if value is not None and (value != "" or parameter.required):
            reader = _ArgumentReader(name, parameter, language, tool.words)
            checked[parameter.field] = reader.read(value)
        elif parameter.required:
            remedy = text(parameter.about, language)
            raise InvalidInput(text("values.missing", language, name=name), remedy=remedy)
    return checked


def _offer(call: Callable[..., Any], tool: ToolWords) -> dict[str, Parameter]:
    """The parameters of a tool by name, without those the document has no words for."""
    return {
        tool.names.get(parameter.field, parameter.field): parameter
        for parameter in read_parameters(call)
        if parameter.type not in ("scope", "priority") or parameter.list_choices(tool.words)
    }


@dataclass(frozen=True, slots=True)
class _ArgumentReader:
    """Validates one value against its parameter."""

    name: str
    parameter: Parameter
    language: Language
    words: PresetVocabulary

    def read(self, value: object) -> object:
        type_ = "choice" if self.parameter.type in _OF_DOCUMENT else self.parameter.type
        match type_, value:
            case "text" | "empty", str():
                return self._read_text(value)
            case "choice", str() if chosen := self.parameter.choose(value, self.words):
                return chosen
            case "flag", bool():
                return value
            case "flag", str() if value.strip().lower() in ("true", "false"):
                return value.strip().lower() == "true"
            case "share", _ if (share := _number(value)) is not None and 0 <= share <= 1:
                return share
            case "count" | "offset", _ if (number := _number(value)) is not None:
                if number.is_integer() and number >= (type_ == "count"):
                    return int(number)
            case "texts", list() if all(isinstance(item, str) for item in value):
                return tuple(self._read_text(item) for item in value)
            case "objects", list() if value and all(isinstance(item, Mapping) for item in value):
                of = self.parameter.of
                return tuple(of(**read_arguments(of, item, self.language)) for item in value)
        choices = ", ".join(self.parameter.list_choices(self.words))
        expected = f"expected.{'text' if type_ == 'empty' else type_}"
        raise self._refuse("invalid", expected, value=_echo(value), choices=choices)

    def _read_text(self, value: str) -> str:
        if len(value) > ARGUMENT_CHARS:
            raise self._refuse("long", "shorten", size=len(value), limit=ARGUMENT_CHARS)
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise self._refuse("broken", "clean")
        if not value.strip() and self.parameter.type != "empty":
            raise InvalidInput(
                text("values.missing", self.language, name=self.name),
                remedy=text(self.parameter.about, self.language),
            )
        return value

    def _refuse(self, what: str, remedy: str, **blanks: object) -> InvalidInput:
        return InvalidInput(
            text(f"values.{what}", self.language, name=self.name, **blanks),
            remedy=text(f"values.{remedy}", self.language, **blanks),
        )


def _number(value: object) -> float | None:
    """A number, also one that came as text, as some models send it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _echo(value: object) -> str:
    """An invalid value for an error message: short and printable."""
    if isinstance(value, list | dict):
        return "[…]" if isinstance(value, list) else "{…}"
    try:
        text = repr(value) if isinstance(value, str) and value.isprintable() else ascii(value)
    except ValueError:  # a number with too many digits to be written out
        return "…"
    return text if len(text) <= _ECHOED else f"{text[:_ECHOED]}…"

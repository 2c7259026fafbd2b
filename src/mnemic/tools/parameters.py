"""Parameters of tools: their JSON Schema, and the validation of what models send.

A parameter is the metadata of a field of a frozen dataclass, which the handler receives.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any, Literal, TypeVar

from mnemic.errors import InvalidInput
from mnemic.prompts import Language
from mnemic.settings.vocabulary import PresetVocabulary, folded
from mnemic.tools.words import Bilingual
from mnemic.types import KINDS

Type = Literal[
    "text",
    "choice",
    "share",
    "count",
    "offset",
    "flag",
    "texts",
    "objects",
    "kind",
    "scope",
    "priority",
]
A = TypeVar("A")

_ECHOED = 40  # characters of an invalid value in an error
_SCHEMAS: dict[Type, dict[str, Any]] = {
    "text": {"type": "string"},
    "choice": {"type": "string"},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "count": {"type": "integer", "minimum": 1},
    "offset": {"type": "integer", "minimum": 0},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "objects": {"type": "array", "minItems": 1},
    "kind": {"type": "string"},
    "scope": {"type": "string"},
    "priority": {"type": "string"},
}
_EXPECTED: dict[Type, Bilingual] = {
    "text": Bilingual("Pass a text", "请传文本"),
    "choice": Bilingual("Use one of: {choices}", "可选：{choices}"),
    "share": Bilingual("Pass a number from 0 to 1", "请传 0 到 1 之间的数"),
    "count": Bilingual("Pass a whole number of 1 or more", "请传不小于 1 的整数"),
    "offset": Bilingual("Pass a whole number of 0 or more", "请传不小于 0 的整数"),
    "flag": Bilingual("Pass true or false", "请传 true 或 false"),
    "texts": Bilingual("Pass a list of texts", "请传文本列表"),
    "objects": Bilingual("Pass a list of objects", "请传对象列表"),
    "kind": Bilingual("Use one of: {choices}", "可选：{choices}"),
    "scope": Bilingual("Use one of: {choices}", "可选：{choices}"),
    "priority": Bilingual("Use one of: {choices}", "可选：{choices}"),
}
# A secret is kept when its owner asks for it, not because a model thought so.
_KINDS = tuple(kind for kind in KINDS if kind != "credential")
_INVALID = Bilingual("{name} is {value}", "{name} 的值是 {value}")
_UNKNOWN = Bilingual("There is no argument {name}", "没有参数 {name}")
_ALLOWED = Bilingual("Use: {names}", "可用：{names}")
_NONE = Bilingual("This tool takes no arguments", "此工具不带参数")
_MISSING = Bilingual("{name} is missing", "缺少 {name}")
_LONG = Bilingual("{name} has {size:,} characters", "{name} 有 {size:,} 个字符")
_SHORTEN = Bilingual("Shorten it to {limit:,}", "请缩短到 {limit:,} 个字符以内")
_BROKEN = Bilingual("{name} holds a character that is not text", "{name} 含有非文本字符")
_CLEAN = Bilingual("Remove NUL and broken Unicode", "请去掉 NUL 和不完整的 Unicode 字符")


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
    """One argument: its type, what it is for, and whether a text of it may be empty.

    ``of`` is the arguments class of each of its objects.
    """

    type: Type
    about: Bilingual
    choices: tuple[str, ...] = ()
    empty: bool = False
    of: Any = None

    def schema(self, language: Language, words: PresetVocabulary) -> dict[str, Any]:
        schema = {**_SCHEMAS[self.type], "description": self.about.of(language)}
        if self.of is not None:
            schema["items"] = schema_of(self.of, language)
        choices = self.offered(words)
        return {**schema, "enum": list(choices)} if choices else schema

    def offered(self, words: PresetVocabulary) -> tuple[str, ...]:
        """What a model may choose from, in the words of the preset's document."""
        if self.type == "kind":
            return tuple(word for word in words.kinds.table or _KINDS if word != "credential")
        if self.type == "scope":
            return tuple(words.scopes.table)
        return tuple(words.priorities.table) if self.type == "priority" else self.choices

    def chosen(self, value: str, words: PresetVocabulary) -> str | None:
        """The choice that is meant, also in the engine's own words or another case; else None."""
        own = _KINDS if self.type == "kind" else ()
        choices = (*self.offered(words), *own)
        if value in choices or self.type == "choice":
            return value if value in choices else None
        return next((one for one in choices if folded(one) == folded(value)), None)


def parameter(
    type: Type,
    en: str,
    zh: str,
    *,
    choices: tuple[str, ...] = (),
    empty: bool = False,
    of: Any = None,
    default: Any = MISSING,
) -> Any:
    """A field of an arguments class; with a ``default`` it may be left out."""
    described = Parameter(type, Bilingual(en, zh), choices, empty, of)
    return dataclasses.field(metadata={"parameter": described}, default=default)


def schema_of(
    arguments: type[Any], language: Language, tool: ToolWords = PLAIN_WORDS
) -> dict[str, Any]:
    """The JSON Schema of an arguments class, with the names that the document gives them."""
    fields = _fields(arguments, tool)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: _parameter(field).schema(language, tool.words) for name, field in fields.items()
        },
        "additionalProperties": False,
    }
    required = [name for name, field in fields.items() if field.default is MISSING]
    return {**schema, "required": required} if required else schema


def read_arguments(
    arguments: type[A],
    values: Mapping[str, object],
    language: Language,
    longest: int,
    tool: ToolWords = PLAIN_WORDS,
) -> A:
    """The arguments a model sent, or InvalidInput that tells it what to send instead.

    Each is known by the document's name and by the engine's.
    """
    fields = _fields(arguments, tool)
    given = {tool.names.get(name, name) if name not in fields else name: value
             for name, value in values.items()}  # fmt: skip
    for name in given:
        if name not in fields:
            allowed = _ALLOWED.of(language, names=", ".join(fields)) if fields else ""
            raise InvalidInput(
                _UNKNOWN.of(language, name=_echo(name)), remedy=allowed or _NONE.of(language)
            )
    read = {}
    for name, field in fields.items():
        value = given.get(name)
        may_be_left_out = field.default is not MISSING
        if value is not None and not (value == "" and may_be_left_out):
            reader = _ArgumentReader(name, _parameter(field), language, longest, tool.words)
            read[field.name] = reader.read(value)
        elif not may_be_left_out:
            remedy = _parameter(field).about.of(language)
            raise InvalidInput(_MISSING.of(language, name=name), remedy=remedy)
    return arguments(**read)


def _fields(arguments: type[Any], tool: ToolWords) -> dict[str, dataclasses.Field[Any]]:
    """The parameters of a tool by name, without those the document has no words for."""
    return {
        tool.names.get(field.name, field.name): field
        for field in dataclasses.fields(arguments)
        if _parameter(field).type not in ("scope", "priority")
        or _parameter(field).offered(tool.words)
    }


@dataclass(frozen=True, slots=True)
class _ArgumentReader:
    """Validates one value against its parameter."""

    name: str
    parameter: Parameter
    language: Language
    longest: int
    words: PresetVocabulary

    def read(self, value: object) -> object:
        match self.parameter.type, value:
            case "text", str():
                return self._text(value)
            case "choice" | "kind" | "scope" | "priority", str() if chosen := self.parameter.chosen(
                value, self.words
            ):
                return chosen
            case "flag", bool():
                return value
            case "flag", str() if value.strip().lower() in ("true", "false"):
                return value.strip().lower() == "true"
            case "share", _ if (share := _number(value)) is not None and 0 <= share <= 1:
                return share
            case "count" | "offset", _:
                number = _number(value)
                least = 1 if self.parameter.type == "count" else 0
                if number is not None and number.is_integer() and number >= least:
                    return int(number)
            case "texts", list() if all(isinstance(item, str) for item in value):
                return tuple(self._text(item) for item in value)
            case "objects", list() if value and all(isinstance(item, Mapping) for item in value):
                return tuple(self._object(item) for item in value)
        raise InvalidInput(
            _INVALID.of(self.language, name=self.name, value=_echo(value)),
            remedy=_EXPECTED[self.parameter.type].of(
                self.language, choices=", ".join(self.parameter.offered(self.words))
            ),
        )

    def _object(self, value: Mapping[str, object]) -> Any:
        return read_arguments(self.parameter.of, value, self.language, self.longest)

    def _text(self, value: str) -> str:
        if len(value) > self.longest:
            raise InvalidInput(
                _LONG.of(self.language, name=self.name, size=len(value)),
                remedy=_SHORTEN.of(self.language, limit=self.longest),
            )
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise InvalidInput(
                _BROKEN.of(self.language, name=self.name), remedy=_CLEAN.of(self.language)
            )
        if not value.strip() and not self.parameter.empty:
            raise InvalidInput(
                _MISSING.of(self.language, name=self.name),
                remedy=self.parameter.about.of(self.language),
            )
        return value


def _parameter(field: dataclasses.Field[Any]) -> Parameter:
    parameter: Parameter = field.metadata["parameter"]
    return parameter


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

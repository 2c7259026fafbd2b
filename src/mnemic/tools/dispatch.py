"""Calls of tools with whatever arguments a model sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput, MnemicError, NotFound
from mnemic.language.detection import language_of
from mnemic.language.fence import neutral
from mnemic.prompts import Language
from mnemic.rules.checks import brief_value, check_choice
from mnemic.settings.environment import LANGUAGES
from mnemic.tools.answers import ToolAnswer, ToolContext, cut
from mnemic.tools.catalog import BY_NAME, is_offered, tool_names
from mnemic.tools.parameters import ToolWords, read_arguments
from mnemic.tools.texts import text
from mnemic.tools.traces import TraceSource

_LONGEST_ERROR = 400  # characters


def call_tool(
    mind: Mind,
    name: object,
    arguments: Mapping[str, object] | str | None = None,
    *,
    language: Language | None = None,
    traces: TraceSource | None = None,
    session: str | None = None,
) -> ToolAnswer:
    """Call a tool for a model; errors become answers too.

    ``arguments`` may be JSON text, as some models send it. ``language`` is that of the answer;
    without it the setting `memory.language` decides, or what the model wrote. ``traces`` are
    the host's own: a folder of JSONL files, or a function that finds turns, whose errors are
    raised as they are. ``session`` is the running conversation, whose last turns help a search.
    """
    if language is not None:
        check_choice(language, LANGUAGES, "language")
    spoken = language or answer_language(mind, arguments)
    try:
        tool = BY_NAME.get(name) if isinstance(name, str) else None
        offered = mind.settings.tools.offered
        if tool is None or (offered and tool.name not in offered):
            raise NotFound(
                text("calls.no_tool", spoken, name=brief_value(name)),
                remedy=text("calls.tools", spoken, names=", ".join(tool_names(mind))),
            )
        if not is_offered(tool, mind.settings.tools):
            withheld = text("calls.withheld", spoken, name=tool.name)
            raise InvalidInput(withheld, remedy=text("calls.by_user", spoken))
        values = _object(arguments, spoken)
        words = ToolWords(mind.settings.vocabulary, tool.name)
        keywords = read_arguments(tool.handle, values, spoken, words)
        return tool.handle(ToolContext(mind, spoken, traces, session), **keywords)
    except MnemicError as error:
        return ToolAnswer(neutral(cut(str(error), _LONGEST_ERROR)), is_error=True)


def _object(
    arguments: Mapping[str, object] | str | None, language: Language
) -> Mapping[str, object]:
    value: object = arguments
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            value = json.loads(value or "{}")
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput(text("calls.not_json", language), remedy=text("calls.object", language))
    return value


def answer_language(mind: Mind, arguments: Mapping[str, object] | str | None) -> Language:
    """The language of the setting `memory.language`, else that of the texts."""
    values = arguments.values() if isinstance(arguments, Mapping) else (arguments,)
    texts = [value for value in values if isinstance(value, str)]
    return language_of(texts, mind.settings.memory.language)

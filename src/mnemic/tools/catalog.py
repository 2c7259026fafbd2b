"""The tools by name, and their descriptions in the formats that hosts take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mnemic.engine.mind import Mind
from mnemic.prompts import Language
from mnemic.rules.checks import check_choice
from mnemic.settings.environment import LANGUAGES, ToolSettings
from mnemic.settings.vocabulary import PresetVocabulary
from mnemic.tools import results
from mnemic.tools.answers import ToolAnswer
from mnemic.tools.one_memory import (
    archive_memory,
    delete_memory,
    edit_memory,
    forget,
    get_memory,
    list_memories,
    restore_memory,
)
from mnemic.tools.overview import get_memory_stats, read_scratchpad, update_scratchpad
from mnemic.tools.parameters import ToolWords, schema_of
from mnemic.tools.search import search_conversation_traces, search_memory
from mnemic.tools.statements import (
    add_memory,
    confirm_memory,
    ignore_memory,
    later_memory,
    list_pending,
    record_turns,
)
from mnemic.tools.texts import text

Format = Literal["openai", "anthropic", "mcp"]
Handler = Callable[..., ToolAnswer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: a function whose keywords are its arguments, and the schema of its answer.

    ``once``: idempotent. ``destroys``: it cannot be undone. ``decides``: it answers in the user's
    name, and is offered only where `tools.answer_pending` allows it. Its title and description are
    in texts.toml.
    """

    handle: Handler
    gives: results.Schema
    reads: bool = False
    once: bool = False
    decides: bool = False
    destroys: bool = False

    @property
    def name(self) -> str:
        return self.handle.__name__


TOOLS: tuple[Tool, ...] = (
    Tool(search_memory, results.FOUND, reads=True),
    Tool(search_conversation_traces, results.TRACES, reads=True),
    Tool(add_memory, results.DECISION),
    Tool(record_turns, results.RECORDED),
    Tool(list_memories, results.MEMORIES, reads=True),
    Tool(get_memory, results.MEMORIES, reads=True),
    Tool(edit_memory, results.MEMORY),
    Tool(archive_memory, results.MEMORY, once=True),
    Tool(restore_memory, results.MEMORY, once=True),
    Tool(delete_memory, results.MEMORY, destroys=True),
    Tool(forget, results.FORGOTTEN, destroys=True),
    Tool(get_memory_stats, results.STATS, reads=True),
    Tool(list_pending, results.PENDING),
    Tool(confirm_memory, results.DECISION, once=True, decides=True),
    Tool(ignore_memory, results.MEMORY, once=True, decides=True),
    Tool(later_memory, results.PUT_OFF, once=True),
    Tool(read_scratchpad, results.SCRATCHPAD, reads=True),
    Tool(update_scratchpad, results.SCRATCHPAD, once=True),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def is_offered(tool: Tool, settings: ToolSettings) -> bool:
    """Whether a model may call it."""
    if settings.offered and tool.name not in settings.offered:
        return False
    return settings.answer_pending or not tool.decides


def tool_names(mind: Mind | None = None) -> tuple[str, ...]:
    """The names of all tools, or of those that a memory offers by its settings."""
    if mind is None:
        return tuple(BY_NAME)
    return tuple(tool.name for tool in TOOLS if is_offered(tool, mind.settings.tools))


def tool_specs(
    format: Format = "openai", language: Language = "en", *, mind: Mind | None = None
) -> list[dict[str, Any]]:
    """The tools as a host passes them on to its model.

    "openai" is the ``tools`` of chat completions, "anthropic" of messages, "mcp" of tools/list.
    The settings of ``mind`` decide which are offered; without one, those of the default preset.
    """
    check_choice(format, get_args(Format), "format")
    check_choice(language, LANGUAGES, "language")
    settings = ToolSettings() if mind is None else mind.settings.tools
    words = PresetVocabulary() if mind is None else mind.settings.vocabulary
    return [
        _describe(
            tool, format, language, schema_of(tool.handle, language, ToolWords(words, tool.name))
        )
        for tool in TOOLS
        if is_offered(tool, settings)
    ]


def _describe(
    tool: Tool, format: Format, language: Language, schema: dict[str, Any]
) -> dict[str, Any]:
    named = {"name": tool.name, "description": text(f"tools.{tool.name}.about", language)}
    if format == "openai":
        return {"type": "function", "function": {**named, "parameters": schema}}
    if format == "anthropic":
        return {**named, "input_schema": schema}
    return {
        **named,
        "title": text(f"tools.{tool.name}.title", language),
        "inputSchema": schema,
        "outputSchema": tool.gives,
        "annotations": {
            "readOnlyHint": tool.reads,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.reads or tool.once,
            "openWorldHint": False,
        },
    }

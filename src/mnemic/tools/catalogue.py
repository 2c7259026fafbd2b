"""The tools by name, and their descriptions in the formats that hosts take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mnemic.mind import Mind
from mnemic.prompts import Language
from mnemic.rules.checks import check_choice
from mnemic.settings.environment import LANGUAGES, ToolSettings
from mnemic.settings.vocabulary import PresetVocabulary
from mnemic.tools import arguments as args
from mnemic.tools import results
from mnemic.tools.answers import ToolAnswer
from mnemic.tools.one_memory import (
    archive_memory,
    delete_memory,
    edit_memory,
    get_memory,
    list_memories,
    restore_memory,
)
from mnemic.tools.overview import memory_stats, read_scratchpad, update_scratchpad
from mnemic.tools.parameters import ToolWords, schema_of
from mnemic.tools.removal import forget
from mnemic.tools.search import search_memory, search_traces
from mnemic.tools.statements import (
    add_memory,
    confirm_memory,
    ignore_memory,
    later_memory,
    list_pending,
)
from mnemic.tools.tool_context import ToolContext
from mnemic.tools.turn_record import record_turns
from mnemic.tools.words import Bilingual

Format = Literal["openai", "anthropic", "mcp"]
Handler = Callable[[ToolContext, Any], ToolAnswer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its description, its arguments, its handler, and the schema of its answer.

    ``once``: idempotent. ``destroys``: it cannot be undone. ``decides``: it answers in the user's
    name, and is offered only where `tools.answer_pending` allows it.
    """

    name: str
    title: Bilingual
    about: Bilingual
    takes: type[Any]
    handle: Handler
    gives: results.Schema
    reads: bool = False
    once: bool = False
    decides: bool = False
    destroys: bool = False


TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_memory",
        Bilingual("Search memory", "查记忆"),
        Bilingual(
            "Find what is known: facts, preferences, rules, decisions, lessons, summaries of past"
            " sessions. Search here first.",
            "查已知内容：事实、偏好、规则、决定、教训、过去会话的概述。先查这里。",
        ),
        args.SearchMemory,
        search_memory,
        results.FOUND,
        reads=True,
    ),
    Tool(
        "search_conversation_traces",
        Bilingual("Search conversations", "查对话原文"),
        Bilingual(
            "Find raw turns with tool arguments and results, for exact words, paths or output.",
            "查对话原文，含工具参数和返回，适合找原话、路径或输出。",
        ),
        args.SearchTraces,
        search_traces,
        results.TRACES,
        reads=True,
    ),
    Tool(
        "add_memory",
        Bilingual("Remember", "记住"),
        Bilingual(
            "Keep one statement that will matter later: a preference, a decision and its reason, a"
            " lesson. Rules, identity and what is very important wait for the user's word.",
            "记下一条以后有用的内容：偏好、决定及理由、教训。规则、身份和特别重要的内容要等用户确认。",
        ),
        args.AddMemory,
        add_memory,
        results.DECISION,
    ),
    Tool(
        "record_turns",
        Bilingual("Record turns", "记录对话"),
        Bilingual(
            "Record what was said in this conversation, word for word, where the host does not.",
            "宿主不自动记录时，逐字记录本次对话。",
        ),
        args.RecordTurns,
        record_turns,
        results.RECORDED,
    ),
    Tool(
        "list_memories",
        Bilingual("List memories", "列出记忆"),
        Bilingual(
            "List what holds now, by kind, project, subject, label or text, a page at a time.",
            "列出现在成立的记忆，可按类别、项目、对象、标签或文字筛选，分页。",
        ),
        args.ListMemories,
        list_memories,
        results.MEMORIES,
        reads=True,
    ),
    Tool(
        "get_memory",
        Bilingual("Get a memory", "查看一条记忆"),
        Bilingual("One memory with its details.", "一条记忆及其详情。"),
        args.OneMemory,
        get_memory,
        results.MEMORIES,
        reads=True,
    ),
    Tool(
        "edit_memory",
        Bilingual("Edit a memory", "修改一条记忆"),
        Bilingual(
            "Change a memory that you or a tool wrote; the user changes their own.",
            "修改你或工具写下的记忆；用户自己的话由用户修改。",
        ),
        args.EditMemory,
        edit_memory,
        results.MEMORY,
    ),
    Tool(
        "archive_memory",
        Bilingual("Archive a memory", "收起一条记忆"),
        Bilingual(
            "Put a memory away that no longer matters; it can be restored.",
            "收起不再重要的记忆，可以恢复。",
        ),
        args.OneMemory,
        archive_memory,
        results.MEMORY,
        once=True,
    ),
    Tool(
        "restore_memory",
        Bilingual("Restore a memory", "恢复一条记忆"),
        Bilingual(
            "Make an archived memory hold again; list_memories with status archived has them.",
            "让收起的记忆重新成立；list_memories 设 status 为 archived 可列出。",
        ),
        args.OneMemory,
        restore_memory,
        results.MEMORY,
        once=True,
    ),
    Tool(
        "delete_memory",
        Bilingual("Delete a memory", "删除一条记忆"),
        Bilingual(
            "Remove a memory that is wrong, with its versions; what was said stays.",
            "删除错误的记忆及其各版本；原话保留。",
        ),
        args.OneMemory,
        delete_memory,
        results.MEMORY,
        destroys=True,
    ),
    Tool(
        "forget",
        Bilingual("Forget for good", "彻底忘记"),
        Bilingual(
            "Remove for good whatever an id, words, a conversation or a time range names. The first"
            " call only shows what would go; a second one with its code removes it.",
            "彻底删除某个 id、词语、会话或时间段涉及的一切。第一次调用只显示会删除什么，"
            "带上其代码再次调用才删除。",
        ),
        args.Forget,
        forget,
        results.FORGOTTEN,
        destroys=True,
    ),
    Tool(
        "get_memory_stats",
        Bilingual("Memory statistics", "记忆统计"),
        Bilingual("How much is remembered, and since when.", "记住了多少，从什么时候起。"),
        args.NoArguments,
        memory_stats,
        results.STATS,
        reads=True,
    ),
    Tool(
        "list_pending",
        Bilingual("What waits for the user", "等待确认的内容"),
        Bilingual(
            "One to three statements to put to the user at the end of your reply.",
            "一到三条，请在回复末尾向用户询问。",
        ),
        args.ListPending,
        list_pending,
        results.PENDING,
    ),
    Tool(
        "confirm_memory",
        Bilingual("Confirm", "确认"),
        Bilingual(
            "The user said that a waiting statement is true. Never call it on your own judgement.",
            "用户说某条等待中的内容属实。不可自行判断后调用。",
        ),
        args.PendingMemory,
        confirm_memory,
        results.DECISION,
        once=True,
        decides=True,
    ),
    Tool(
        "ignore_memory",
        Bilingual("Ignore", "忽略"),
        Bilingual(
            "The user does not want a waiting statement kept; it is not offered again.",
            "用户不想保留某条等待中的内容，以后不再询问。",
        ),
        args.PendingMemory,
        ignore_memory,
        results.MEMORY,
        once=True,
        decides=True,
    ),
    Tool(
        "later_memory",
        Bilingual("Ask later", "以后再问"),
        Bilingual(
            "The user will answer about a waiting statement another time.",
            "用户想以后再回答某条等待中的内容。",
        ),
        args.PendingMemory,
        later_memory,
        results.PUT_OFF,
        once=True,
    ),
    Tool(
        "read_scratchpad",
        Bilingual("Read the scratchpad", "看草稿板"),
        Bilingual("What is being worked on.", "手头正在做的事。"),
        args.NoArguments,
        read_scratchpad,
        results.SCRATCHPAD,
        reads=True,
    ),
    Tool(
        "update_scratchpad",
        Bilingual("Write the scratchpad", "写草稿板"),
        Bilingual(
            "Replace the notes on what is being worked on, whole.",
            "整体替换手头工作的笔记。",
        ),
        args.NewScratchpad,
        update_scratchpad,
        results.SCRATCHPAD,
        once=True,
    ),
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
        _FORMATS[format](
            tool, language, schema_of(tool.takes, language, ToolWords(words, tool.name))
        )
        for tool in TOOLS
        if is_offered(tool, settings)
    ]


def _openai(tool: Tool, language: Language, schema: dict[str, Any]) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.about.of(language),
        "parameters": schema,
    }
    return {"type": "function", "function": function}


def _anthropic(tool: Tool, language: Language, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.about.of(language),
        "input_schema": schema,
    }


def _mcp(tool: Tool, language: Language, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title.of(language),
        "description": tool.about.of(language),
        "inputSchema": schema,
        "outputSchema": tool.gives,
        "annotations": {
            "readOnlyHint": tool.reads,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.reads or tool.once,
            "openWorldHint": False,
        },
    }


_FORMATS: dict[Format, Callable[[Tool, Language, dict[str, Any]], dict[str, Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
}

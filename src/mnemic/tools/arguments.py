"""The arguments of each tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mnemic.tools.parameters import parameter
from mnemic.types import ORDERS, STATUSES, MemoryOrder, MemoryStatus, Role

_PROJECT = ("The project it belongs to", "所属项目")
_SINCE = ("Only from this time on, ISO 8601", "只看此时间之后，ISO 8601")
_UNTIL = ("Only before this time, ISO 8601", "只看此时间之前，ISO 8601")
_ID = ("Its id, from a search or a list", "它的 id，来自搜索或列表")
_LIMIT = ("How many results", "结果条数")
_OFFSET = ("How many results to skip, to go on with a list", "跳过多少条，用于接着看")
SPEAKERS = ("user", "assistant", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoArguments:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """A statement to be kept."""

    content: str = parameter(
        "text",
        "One complete statement that can be understood on its own, without secrets",
        "一条完整、单独也能看懂的陈述，不含机密",
    )
    kind: str = parameter("kind", "What it is", "类别", default="fact")
    scope: str = parameter("scope", "Whose it is", "归属", default="")
    duration: str = parameter("priority", "How long it matters", "保留多久", default="")
    subject: str = parameter("text", "What it is about", "关于谁或什么", default="")
    predicate: str = parameter(
        "text",
        "What is said of it: uses, likes, version",
        "关于它的哪一点：使用、喜欢、版本",
        default="",
    )
    value: str = parameter("text", "The answer: Python 3.12", "答案：Python 3.12", default="")
    importance: float | None = parameter(
        "share", "How much it will matter later", "以后有多重要", default=None
    )
    project: str = parameter("text", *_PROJECT, default="")
    tags: tuple[str, ...] = parameter("texts", "A few labels", "几个标签", default=())
    updates: bool = parameter(
        "flag", "It replaces what was true before", "它取代以前的情况", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMemory:
    """A question to memories and episodes."""

    query: str = parameter("text", "A question or keywords", "问题或关键词")
    kind: str | None = parameter(
        "kind", "Only memories of this kind", "只查这一类记忆", default=None
    )
    scope: str | None = parameter("scope", "Only of this scope", "只查这一归属", default=None)
    project: str | None = parameter("text", *_PROJECT, default=None)
    since: str | None = parameter("text", *_SINCE, default=None)
    until: str | None = parameter("text", *_UNTIL, default=None)
    as_of: str | None = parameter(
        "text", "What was true at this time", "当时为真的内容", default=None
    )
    known_at: str | None = parameter(
        "text", "What was known at this time", "当时知道的内容", default=None
    )
    limit: int | None = parameter("count", *_LIMIT, default=None)
    offset: int = parameter("offset", *_OFFSET, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTraces:
    """A question to what was literally said and done."""

    query: str = parameter(
        "text", "Words, paths or tool names that occur in it", "其中出现的词、路径或工具名"
    )
    session: str | None = parameter("text", "Only this conversation", "只查这次会话", default=None)
    since: str | None = parameter("text", *_SINCE, default=None)
    until: str | None = parameter("text", *_UNTIL, default=None)
    limit: int | None = parameter("count", *_LIMIT, default=None)
    offset: int = parameter("offset", *_OFFSET, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPending:
    """The few to ask about now, or all that wait."""

    all: bool = parameter(
        "flag",
        "List all that wait, a page at a time; else only the few to ask about now",
        "分页列出所有等待的内容；否则只给现在要问的几条",
        default=False,
    )
    limit: int | None = parameter("count", *_LIMIT, default=None)
    offset: int = parameter("offset", *_OFFSET, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingMemory:
    """One statement that waits."""

    id: str = parameter("text", "Its id, from list_pending", "它的 id，来自 list_pending")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories:
    """Which memories to list."""

    kind: str | None = parameter("text", "Only this kind", "只列这一类", default=None)
    project: str | None = parameter("text", *_PROJECT, default=None)
    subject: str | None = parameter("text", "Only about this", "只列关于它的", default=None)
    tag: str | None = parameter("text", "Only with this label", "只列带此标签的", default=None)
    text: str | None = parameter("text", "Only what contains this", "只列含此文字的", default=None)
    status: MemoryStatus | Literal["all"] | None = parameter(  # noqa: RUF009  it makes a field
        "choice",
        "Only of this status; left out: what holds now",
        "只列此状态的；不填为现在成立的",
        choices=(*(status for status in STATUSES if status != "item"), "all"),
        default=None,
    )
    since: str | None = parameter("text", *_SINCE, default=None)
    until: str | None = parameter("text", *_UNTIL, default=None)
    order: MemoryOrder = parameter(  # noqa: RUF009  it makes a field
        "choice", "In which order", "排列顺序", choices=ORDERS, default="newest"
    )
    limit: int | None = parameter("count", *_LIMIT, default=None)
    offset: int = parameter("offset", *_OFFSET, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory:
    """One memory."""

    id: str = parameter("text", *_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory:
    """What to change of a memory; what is left out stays."""

    id: str = parameter("text", *_ID)
    content: str | None = parameter("text", "The new statement", "新的内容", default=None)
    kind: str | None = parameter("text", "Another kind", "换成另一类", default=None)
    value: str | None = parameter("text", "The new answer", "新的答案", default=None)
    importance: float | None = parameter(
        "share", "How much it will matter later", "以后有多重要", default=None
    )
    tags: tuple[str, ...] | None = parameter(
        "texts", "All of its labels", "它的全部标签", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """What to remove for good."""

    id: str | None = parameter("text", *_ID, default=None)
    query: str | None = parameter(
        "text",
        "Whatever has these words, in this order",
        "含有这些词语（按此顺序）的一切",
        default=None,
    )
    session: str | None = parameter("text", "A whole conversation", "整次会话", default=None)
    since: str | None = parameter("text", *_SINCE, default=None)
    until: str | None = parameter("text", *_UNTIL, default=None)
    confirm: str = parameter(
        "text",
        "The code of the preview, once the user has agreed; without it nothing is removed",
        "用户同意后，填预览给出的代码；不填则不删除",
        default="",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """One turn of a conversation."""

    role: Role = parameter(  # noqa: RUF009  it makes a field
        "choice", "Who speaks", "谁说的", choices=SPEAKERS
    )
    content: str = parameter("text", "What was said, word for word", "原话")
    sender: str = parameter(
        "text",
        "A name, where several people or tools speak",
        "名字，用于多人或多个工具",
        default="",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTurns:
    """Turns to be recorded."""

    turns: tuple[SpokenTurn, ...] = parameter(
        "objects", "In the order they were said", "按说话的顺序", of=SpokenTurn
    )
    session: str = parameter(
        "text",
        "Which conversation; leave it out for the running one",
        "哪次会话；不填为当前会话",
        default="",
    )
    ended: bool = parameter("flag", "The conversation is over", "会话已结束", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScratchpad:
    """What is in hand now."""

    markdown: str = parameter(
        "text",
        "The whole new text: current task, open questions, next steps",
        "完整的新内容：当前任务、未决问题、下一步",
        empty=True,
    )

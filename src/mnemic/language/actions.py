"""Action nodes: each tool call of some turns, with its result.

Built from the calls and their results alone. A call and its result may stand in one turn or in
two; they are matched by id, and where hosts give no ids, in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from mnemic.language.fence import strip_fenced
from mnemic.language.tool_results import error_line, tool_summary
from mnemic.language.truncation import cut
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.types import ActionNode, ToolCall, ToolResult, Turn

_FILE = WordFile("mnemic.language", "actions.toml")
pattern, words = _FILE.pattern, _FILE.words

MOST_PARAMS = 6
NO_RESULT = "no result came"

_KEY_PARAMS = (
    "path file file_path filename url query q command cmd pattern name title id session to"
    " subject table branch package key text"
).split()
_SENTENCE = defer(  # which "Dr. Vogt" does not end
    r"(?<=[。！？!?\n])|(?<=[.;；])"
    r"(?i:(?<!\b(?:mr|ms|dr|st|vs|no)\.)(?<!\b(?:mrs|e\.g|i\.e)\.)(?<!\bprof\.))\s"
)
_LOOK = 2_000  # characters at each end of a result


class HasTools(Protocol):
    """A turn, recorded or about to be."""

    @property
    def tool_calls(self) -> Sequence[ToolCall]: ...
    @property
    def tool_results(self) -> Sequence[ToolResult]: ...


@dataclass(slots=True)
class CalledTool:
    """A call with its result; ``turn`` and ``answered`` are the places of their turns."""

    call: ToolCall
    turn: int
    result: ToolResult | None = None
    answered: int = -1


def action_nodes(turns: Sequence[Turn], result_chars: int) -> tuple[ActionNode, ...]:
    """One node for each tool call, in order."""
    return tuple(_node(turns, called, result_chars) for called in match_calls(turns))


def failure(result: ToolResult) -> str:
    """The error of a tool result; empty for a success."""
    text = result.content
    if result.is_error:
        return error_line(text) or "error"
    problem = _json_failure(text)
    if problem is not None:
        return problem
    if pattern("begins_wrong").match(text[:_LOOK]) or pattern("ends_wrong").search(text[-_LOOK:]):
        return error_line(text)
    return ""


def first_sentence(text: str) -> str:
    """The first sentence on one line."""
    return next(sentences(text), "")


def sentences(text: str) -> Iterator[str]:
    """The sentences at the beginning of a text, each on one line."""
    texts = _SENTENCE.split(text.strip()[:_LOOK])
    return filter(None, (" ".join(sentence.split()).rstrip(";；") for sentence in texts))


def match_calls(turns: Sequence[HasTools]) -> list[CalledTool]:
    """Every call of some turns, in order, with the result that came in them."""
    tools: list[CalledTool] = []
    for place, turn in enumerate(turns):
        tools += [CalledTool(call, place) for call in turn.tool_calls]
        for result in turn.tool_results:
            waiting = [tool for tool in tools if tool.result is None]
            named = [tool for tool in waiting if tool.call.id and tool.call.id == result.call_id]
            nameless = [tool for tool in waiting if not (tool.call.id and result.call_id)]
            for tool in (named or nameless)[:1]:
                tool.result, tool.answered = result, place
    return tools


def _node(turns: Sequence[Turn], called: CalledTool, limit: int) -> ActionNode:
    wrong = failure(called.result) if called.result else _explain_missing(turns, called)
    return ActionNode(
        tool=called.call.name,
        params=key_params(called.call.input, limit),
        result=_result_summary(called.result, limit) if called.result else "",
        success=not wrong,
        error=cut(wrong, limit),
        decision=cut(_decision(turns, called), limit),
        at=turns[called.turn].at,
    )


def key_params(arguments: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """The parameters that say what a call was about, each short; nested ones by their size.

    Neither those left at nothing (None, False, empty) nor, beside others, what the call carried.
    """
    order = {name: place for place, name in enumerate(_KEY_PARAMS)}
    filled = [key for key, value in arguments.items() if value not in (None, False, "", [], {})]
    about = [key for key in filled if key.lower() not in words("payload")]
    named = sorted(about or filled, key=lambda key: order.get(key.lower(), len(order)))
    return {cut(str(key), limit): _short(arguments[key], limit) for key in named[:MOST_PARAMS]}


def _short(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return cut(" ".join(value.split()), limit)
    if isinstance(value, dict | list):
        brief = json.dumps(value, ensure_ascii=False)
        kind = "keys" if isinstance(value, dict) else "items"
        return brief if len(brief) <= limit else f"{len(value)} {kind}"
    return value


def _result_summary(result: ToolResult, limit: int) -> str:
    text = result.content
    return tool_summary(text if _is_json(text) else " ".join(text.split()), limit)


def _explain_missing(turns: Sequence[Turn], called: CalledTool) -> str:
    """A call whose result is missing failed, unless the talk went on or no host recorded any."""
    went_on = any(turn.role == "assistant" for turn in turns[called.turn + 1 :])
    return "" if went_on or not any(turn.tool_results for turn in turns) else NO_RESULT


def _decision(turns: Sequence[Turn], called: CalledTool) -> str:
    """What the assistant said next, having seen the result."""
    if called.result is None:
        return ""
    for turn in turns[called.answered + 1 :]:
        if turn.role == "user":
            break
        if turn.role == "assistant" and turn.text.strip():
            return first_sentence(strip_fenced(turn.text))
    answer = turns[called.answered]
    in_one = called.answered == called.turn and answer.role == "assistant"
    return first_sentence(strip_fenced(answer.text)) if in_one else ""


def _is_json(text: str) -> bool:
    return text[:100].lstrip()[:1] in ("{", "[")


def _json_failure(text: str) -> str | None:
    """What a JSON object says of its own success; None when the text is none or does not say."""
    if not _is_json(text):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return ""
    message = next((value[key] for key in ("error", "errors", "exception") if value.get(key)), None)
    if message:
        return " ".join(str(message).split()) or "error"
    if value.get("success") is False or value.get("ok") is False:
        return " ".join(str(value.get("message") or "not successful").split())
    for key in ("exit_code", "exitCode", "returncode"):
        if isinstance(value.get(key), int) and value[key] != 0:
            return f"{key} {value[key]}"
    return ""

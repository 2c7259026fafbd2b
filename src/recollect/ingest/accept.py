"""The door for turns: checks what comes in and makes it ready to be written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.ids import new_id, new_ids
from recollect.index.batches import index_many
from recollect.index.segment import Indexed, index_terms
from recollect.rules import intake
from recollect.rules.dates import moment
from recollect.rules.secrets import USUAL, redact, redact_json
from recollect.rules.secrets_looks import Bounds
from recollect.rules.secrets_together import redact_many
from recollect.rules.tokens import count_tokens
from recollect.rules.tokens_together import count_many
from recollect.rules.trust import trust_of
from recollect.store.rows import TurnRow
from recollect.types import ROLES, TRUSTS, NewTurn, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one turn may hold, and what counts as a secret in it; None keeps secrets."""

    characters: int
    tool_calls: int
    tags: int
    secrets: Bounds | None = USUAL

    def clean(self, text: str) -> str:
        """The text as it may be written."""
        return text if self.secrets is None else redact(text, self.secrets)

    def clean_many(self, texts: Sequence[str]) -> Sequence[str]:
        """Texts as they may be written."""
        return texts if self.secrets is None else redact_many(texts, self.secrets)

    def clean_part(self, part: str, told: str, content: str) -> str:
        """A part of a statement that was told and cleaned to ``content``: one that is nothing but
        its secret does not show that by itself.
        """
        return "" if part in told and part not in content else self.clean(part)

    def clean_all(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self.clean, texts)))


def accept_turn(new: NewTurn, now: datetime, limits: Limits) -> TurnRow:
    """The row for a turn, or InvalidInput that says what to change."""
    content = limits.clean(_content(new, limits))
    used = _tools(new, limits)
    indexed = turn_terms(new.sender, content, *used)
    id_, tokens = new_id(now), count_tokens(content)
    return _row(new, now, used, id_=id_, content=content, tokens=tokens, indexed=indexed)


def accept_turns(news: Sequence[NewTurn], now: datetime, limits: Limits) -> list[TurnRow]:
    """The rows for turns, or InvalidInput that says what to change."""
    told = [_content(new, limits) for new in news]
    tools = [_tools(new, limits) for new in news]
    contents = limits.clean_many(told)
    texts = [
        _found_by(new.sender, content, *used)
        for new, content, used in zip(news, contents, tools, strict=True)
    ]
    rows = zip(
        news, new_ids(now, len(news)), contents, tools, count_many(contents), index_many(texts),
        strict=True,
    )  # fmt: skip
    return [
        _row(new, now, used, id_=id_, content=content, tokens=tokens, indexed=indexed)
        for new, id_, content, used, tokens, indexed in rows
    ]


def _content(new: NewTurn, limits: Limits) -> str:
    """What a turn says, once everything about it but its tools was checked."""
    if not isinstance(new, NewTurn):
        raise InvalidInput(
            f"a turn is a {type(new).__name__}",
            remedy="Pass recollect.NewTurn(session, role, content)",
        )
    if new.role not in ROLES:
        intake.check_choice(new.role, ROLES, "role")
    if new.sender != "":
        intake.check_name(new.sender, "sender")
    if new.channel != "":
        intake.check_name(new.channel, "channel")
    if new.index is not None:
        intake.check_index(new.index)
    if new.trust is not None:
        intake.check_choice(new.trust, TRUSTS, "trust")
    intake.check_name(new.session, "session")
    return intake.check_text(new.content, "content", limits.characters)


def _row(
    new: NewTurn,
    now: datetime,
    used: tuple[tuple[ToolCall, ...], tuple[ToolResult, ...]],
    *,
    id_: str,
    content: str,
    tokens: int,
    indexed: Indexed,
) -> TurnRow:
    calls, results = used
    return TurnRow(
        id_,
        new.session,
        new.index,
        new.role,
        content,
        calls,
        results,
        now if new.at is None else moment(new.at),
        tokens + _tool_tokens(calls, results) if calls or results else tokens,
        new.channel,
        new.sender,
        new.trust or trust_of(new.role),
        *indexed,
    )


def turn_terms(
    sender: str, content: str, calls: Sequence[ToolCall], results: Sequence[ToolResult]
) -> Indexed:
    """What a turn is indexed by."""
    return index_terms(_found_by(sender, content, calls, results))


def _found_by(
    sender: str, content: str, calls: Sequence[ToolCall], results: Sequence[ToolResult]
) -> str:
    """What a turn is found by: who said it, what was said, what its tools were told and said."""
    if not calls and not results:
        return f"{sender}\n{content}" if sender else content
    told = [f"{call.name} {_leaves(call.input)}" for call in calls]
    return "\n".join([sender, content, *told, *(r.content for r in results)])


def _tool_tokens(calls: Iterable[ToolCall], results: Iterable[ToolResult]) -> int:
    return sum(count_tokens(f"{c.name} {_leaves(c.input)}") for c in calls) + sum(
        count_tokens(r.content) for r in results
    )


def _tools(new: NewTurn, limits: Limits) -> tuple[tuple[ToolCall, ...], tuple[ToolResult, ...]]:
    if not new.tool_calls and not new.tool_results:
        return (), ()
    calls = tuple(_call(call, limits) for call in _some(new.tool_calls, "tool_calls", limits))
    results = tuple(_result(r, limits) for r in _some(new.tool_results, "tool_results", limits))
    return calls, results


def _some(items: Iterable[Any], name: str, limits: Limits) -> tuple[Any, ...]:
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InvalidInput(f"{name} is a {type(items).__name__}", remedy="Pass a list of them")
    listed = tuple(items)
    if len(listed) > limits.tool_calls:
        raise InvalidInput(f"{len(listed):,} {name}", remedy=f"Give at most {limits.tool_calls}")
    return listed


def _call(call: ToolCall, limits: Limits) -> ToolCall:
    if not isinstance(call, ToolCall):
        raise InvalidInput(
            f"a tool call is a {type(call).__name__}",
            remedy="Pass recollect.ToolCall(name, input, id)",
        )
    try:
        # A round trip now, so that what is compared and read back later is what was stored.
        told = json.loads(json.dumps(dict(call.input), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"the input of tool call {call.name!r} is not JSON: {error}",
            remedy="Use text, numbers, lists and objects only",
        ) from error
    intake.check_depth(told, f"the input of tool call {call.name!r}")
    intake.check_text(json.dumps(told, ensure_ascii=False), "tool input", limits.characters)
    id_ = intake.check_text(call.id, "tool call id", intake.MAX_NAME)
    if limits.secrets is not None:
        told = redact_json(told, limits.secrets)
    return ToolCall(intake.check_name(call.name, "tool name"), told, id_)


def _result(result: ToolResult, limits: Limits) -> ToolResult:
    if not isinstance(result, ToolResult):
        raise InvalidInput(
            f"a tool result is a {type(result).__name__}",
            remedy="Pass recollect.ToolResult(content, call_id, is_error)",
        )
    intake.check_text(result.content, "tool result", limits.characters)
    intake.check_text(result.call_id, "tool call id", intake.MAX_NAME)
    if not isinstance(result.is_error, bool):
        raise InvalidInput(f"is_error={result.is_error!r}", remedy="Pass True or False")
    return replace(result, content=limits.clean(result.content))


def _leaves(value: Any) -> str:
    """The leaves of a JSON value as text: what a person would search for."""
    if isinstance(value, dict):
        return " ".join(f"{key} {_leaves(item)}" for key, item in value.items())
    if isinstance(value, list):
        return " ".join(map(_leaves, value))
    return "" if value is None else str(value)

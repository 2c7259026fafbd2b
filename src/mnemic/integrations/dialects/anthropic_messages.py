"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mnemic.integrations.companion import PromptAddition, tool_call
from mnemic.integrations.dialects.base import Dialect, Request, plain_items, text_of, with_evidence
from mnemic.types import NewTurn, ToolResult


class Messages(Dialect):
    """``client.messages``."""

    def instructions(self, request: Request) -> list[str]:
        return [text_of(request.get("system"))]

    def inject(self, request: Request, addition: PromptAddition) -> Request:
        injected = {**request, "messages": with_evidence(request["messages"], addition)}
        system = request.get("system")
        if addition.system and isinstance(system, Iterable) and not isinstance(system, str):
            injected["system"] = [*system, {"type": "text", "text": addition.system}]
        elif addition.system:
            injected["system"] = addition.after(system if isinstance(system, str) else None)
        return injected

    def read_item(self, item: Mapping[str, Any], session: str) -> Iterator[NewTurn]:
        """A user message may hold tool results, then text."""
        content = item.get("content")
        blocks = [] if isinstance(content, str) else plain_items(content)
        words = text_of(content)
        results = tuple(
            ToolResult(
                text_of(block.get("content")),
                str(block.get("tool_use_id") or ""),
                block.get("is_error") is True,
            )
            for block in blocks
            if block.get("type") == "tool_result"
        )
        if item.get("role") == "assistant":
            yield _answer(words, blocks, session)
            return
        if results:
            yield NewTurn(session, "tool", "", tool_results=results)
        if words:
            yield NewTurn(session, "user", words)

    def answer(self, response: Any, session: str) -> NewTurn:
        blocks = plain_items(response.content)
        return _answer(text_of(blocks), blocks, session)

    def assembler(self) -> Blocks:
        return Blocks()


class Blocks:
    """A streamed answer, block by block."""

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}

    def take(self, event: Any) -> None:
        if event.type == "content_block_start":
            (block,) = plain_items([event.content_block])
            self.blocks[event.index] = {**block, "json": ""}
        elif event.type == "content_block_delta" and event.index in self.blocks:
            block = self.blocks[event.index]
            if event.delta.type == "text_delta":
                block["text"] = block.get("text", "") + event.delta.text
            elif event.delta.type == "input_json_delta":
                block["json"] += event.delta.partial_json

    def turn(self, session: str) -> NewTurn:
        blocks = [{**b, "input": b["json"] or b.get("input", {})} for b in self.blocks.values()]
        return _answer(text_of(blocks), blocks, session)


def _answer(words: str, blocks: Iterable[Mapping[str, Any]], session: str) -> NewTurn:
    calls = tuple(
        tool_call(str(block.get("name")), block.get("input"), str(block.get("id") or ""))
        for block in blocks
        if block.get("type") == "tool_use"
    )
    return NewTurn(session, "assistant", words, tool_calls=calls)

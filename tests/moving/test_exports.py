"""Conversations of other programs become turns: OpenAI, Anthropic, ChatGPT, Claude."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mnemic.types import ToolCall, ToolResult
from tests.moving.reading import read, turns


def test_openai_messages_with_tools() -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "w", "arguments": '{"城": "京都"}'},
    }
    chat = {
        "id": "chat-7",
        "title": "天气",
        "messages": [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "看图"}, {"type": "image_url"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "晴"},
            {"role": "assistant", "content": ""},
            {"role": "assistant", "content": "晴天"},
        ],
    }
    pieces = read(chat)
    found = [piece.turn for piece in pieces if piece.turn]
    assert [t.role for t in found] == ["system", "user", "assistant", "tool", "assistant"]
    assert found[1].text == "看图\n[image_url]"
    assert found[2].tool_calls == (ToolCall("w", {"城": "京都"}, "c1"),)
    assert found[3].tool_results == (ToolResult("晴", "c1"),)
    assert [t.index for t in found] == [0, 1, 2, 3, 4]
    assert {t.session for t in found} == {"chat-7"}
    assert {piece.topic for piece in pieces} == {"天气"}


def test_anthropic_messages_with_blocks() -> None:
    found = turns(
        {
            "system": "You are kind",
            "messages": [
                {"role": "user", "content": "1+1?"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "secret"},
                        {"type": "text", "text": "算一下"},
                        {"type": "tool_use", "id": "t1", "name": "calc", "input": {"e": "1+1"}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t1",
                            "content": [{"type": "text", "text": "2"}],
                            "is_error": False,
                        }
                    ],
                },
            ],
        },
        session="sums",
    )
    assert [t.role for t in found] == ["system", "user", "assistant", "tool"]
    assert found[2].text == "算一下"
    assert found[2].tool_calls == (ToolCall("calc", {"e": "1+1"}, "t1"),)
    assert found[3].tool_results == (ToolResult("2", "t1"),)


def chatgpt_node(id_: str, parent: str | None, message: Any, *children: str) -> dict[str, Any]:
    return {"id": id_, "parent": parent, "message": message, "children": list(children)}


def said(role: str, *parts: Any, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {
        "author": {"role": role, "name": more.pop("name", None)},
        "create_time": more.pop("at", 1_700_000_000.5),
        "content": {"content_type": kind, "parts": list(parts)},
        "recipient": more.pop("recipient", "all"),
        "metadata": more,
    }


PICTURE = {"content_type": "image_asset_pointer"}
HIDDEN = said("system", "", is_visually_hidden_from_conversation=True)
CHATGPT = {
    "title": "旅行计划",
    "conversation_id": "gpt-1",
    "current_node": "e",
    "mapping": {
        "root": chatgpt_node("root", None, None, "s"),
        "s": chatgpt_node("s", "root", HIDDEN, "a", "x"),
        "x": chatgpt_node("x", "s", said("user", "去东京（改之前）")),
        "a": chatgpt_node("a", "s", said("user", PICTURE, "去京都"), "b"),
        "b": chatgpt_node("b", "a", said("assistant", "hidden", kind="thoughts"), "c"),
        "c": chatgpt_node("c", "b", said("assistant", "print(1)", recipient="python"), "d"),
        "d": chatgpt_node("d", "c", said("tool", "1", name="python"), "e"),
        "e": chatgpt_node("e", "d", said("assistant", "四月去最好", at=None)),
    },
}


def test_chatgpt_export_reads_the_branch_that_was_shown() -> None:
    pieces = read([CHATGPT])
    found = [piece.turn for piece in pieces if piece.turn]
    assert [(t.role, t.text) for t in found] == [
        ("user", "[image_asset_pointer]\n去京都"),
        ("assistant", ""),
        ("tool", ""),
        ("assistant", "四月去最好"),
    ]
    assert found[1].tool_calls == (ToolCall("python", {"input": "print(1)"}),)
    assert found[2].tool_results == (ToolResult("1"),)
    assert found[0].at == datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)
    assert found[3].at is None
    assert {(t.session, t.channel) for t in found} == {("gpt-1", "chatgpt")}
    assert pieces[0].topic == "旅行计划"


def test_chatgpt_without_a_current_node_reads_the_last_leaf() -> None:
    export = {**CHATGPT, "current_node": None}
    assert turns([export])[-1].text == "四月去最好"


def test_claude_export() -> None:
    export = {
        "uuid": "claude-1",
        "name": "报告",
        "chat_messages": [
            {
                "sender": "human",
                "text": "总结一下",
                "content": [{"type": "text", "text": "总结一下"}],
                "created_at": "2026-01-02T03:04:05.000Z",
                "attachments": [{"file_name": "报告.txt", "extracted_content": "利润增长 8%"}],
                "files": [{"file_name": "chart.png"}],
            },
            {"sender": "assistant", "text": "利润涨了", "content": []},
            {"sender": "assistant", "text": "", "content": []},
        ],
    }
    found = turns([export])
    assert [(t.role, t.text) for t in found] == [
        ("user", "总结一下\n[报告.txt]\n利润增长 8%\n[chart.png]"),
        ("assistant", "利润涨了"),
    ]
    assert found[0].at == "2026-01-02T03:04:05.000Z"
    assert (found[0].session, found[0].channel) == ("claude-1", "claude")

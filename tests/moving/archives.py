"""The archives that ChatGPT and Claude let people download, small."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

ACCOUNT = "5c1b6b7e-0000-4000-8000-000000000001"
PROJECT = "5c1b6b7e-0000-4000-8000-0000000000aa"


def write_zip(path: Path, members: dict[str, Any]) -> Path:
    """Text and bytes as they are, everything else as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            whole = isinstance(value, str | bytes)
            archive.writestr(name, value if whole else json.dumps(value, ensure_ascii=False))
    return path


def chatgpt_conversation(id_: str, *messages: dict[str, Any]) -> dict[str, Any]:
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"
    for number, message in enumerate(messages):
        name = f"{id_}-{number}"
        nodes[name] = {
            "id": name,
            "message": {
                "id": name,
                "create_time": 1_746_000_000.5 + number,
                "metadata": {},
                "recipient": "all",
                **message,
            },
            "parent": parent,
            "children": [],
        }
        nodes[parent]["children"] = [name]
        parent = name
    return {
        "title": f"Chat {id_}",
        "create_time": 1_746_000_000.0,
        "mapping": nodes,
        "current_node": parent,
        "conversation_id": id_,
        "default_model_slug": "gpt-4o",
    }


def said(role: str, *parts: Any) -> dict[str, Any]:
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    return {
        "author": {"role": role, "name": None, "metadata": {}},
        "content": {"content_type": kind, "parts": list(parts)},
    }


IMAGE = {
    "content_type": "image_asset_pointer",
    "asset_pointer": "sediment://file_00000000abcd",
    "size_bytes": 12345,
    "width": 800,
    "height": 600,
}


def chatgpt_zip(path: Path) -> Path:
    """Numbered files, as a large account gets them, and what else comes with them."""
    first = chatgpt_conversation(
        "c-1",
        said("user", IMAGE, "What is on this picture?"),
        said("assistant", "A red kite over the Douro."),
    )
    second = chatgpt_conversation(
        "c-2", said("user", "请记住我的猫叫毛豆"), said("assistant", "好的")
    )
    return write_zip(
        path,
        {
            "chat.html": "<html><body>…</body></html>",
            "conversations-000.json": [first],
            "conversations-001.json": [second],
            "export_manifest.json": {"files": []},
            "file-abcd-photo.png": b"\x89PNG\r\n",
            "message_feedback.json": [{"conversation_id": "c-1", "rating": "thumbs_up"}],
            "shared_conversations.json": [{"id": "s", "conversation_id": "c-1", "title": "x"}],
            "user.json": {"id": "user-1", "email": "someone@example.com"},
        },
    )


def claude_zip(path: Path, *, split: bool = False) -> Path:
    """``split``: a file for each project and account, as newer exports have it."""
    message = {
        "uuid": "m-1",
        "text": "",
        "sender": "human",
        "created_at": "2025-03-01T08:00:00Z",
        "content": [{"type": "text", "text": "Which tyres for the Alps?", "citations": []}],
        "attachments": [],
        "files": [{"file_name": "bike.jpg"}],
    }
    reply = {
        **message,
        "uuid": "m-2",
        "sender": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Wide ones."},
            {"type": "token_budget"},
        ],
        "files": [],
    }
    chat = {
        "uuid": "c-9",
        "name": "Tyres",
        "summary": "",
        "account": {"uuid": ACCOUNT},
        "chat_messages": [message, reply],
    }
    memory = {
        "conversations_memory": "**Work context**\n\nAnna runs a bicycle shop.\n\n"
        "**Personal context**\n\nShe is training for the Alps.",
        "project_memories": {PROJECT: "**Purpose**\n\nPlan a tour over the Stelvio."},
        "account_uuid": ACCOUNT,
    }
    project = {
        "uuid": PROJECT,
        "name": "Alps tour",
        "description": "Everything for the tour in July",
        "is_private": True,
        "is_starter_project": False,
        "prompt_template": "Answer in kilometres.",
        "created_at": "2025-02-01T08:00:00Z",
        "docs": [
            {
                "uuid": "d-1",
                "filename": "stages.md",
                "content": "Stage 1: Prato to Bormio over the Stelvio pass",
                "created_at": "2025-02-02T08:00:00Z",
            }
        ],
    }
    starter = {"uuid": "p-0", "name": "How to use Claude", "is_starter_project": True, "docs": []}
    beside: dict[str, Any] = {"memories.json": [memory], "projects.json": [starter, project]}
    if split:
        beside = {
            f"memories/{ACCOUNT}.json": memory,
            f"projects/{PROJECT}.json": project,
            "projects/p-0.json": starter,
        }
    users = [{"uuid": ACCOUNT, "full_name": "Anna", "email_address": "anna@example.com"}]
    return write_zip(path, {"conversations.json": [chat], "users.json": users, **beside})

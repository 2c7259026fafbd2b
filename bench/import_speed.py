"""Importing a ChatGPT export as it is downloaded, beside recording the same turns at once."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from bench.figures import Figure, figure, ratio_at_least
from bench.minds import bench_mind
from bench.timing import side_by_side
from mnemic.moving.importer import import_source
from mnemic.types import NewTurn, Role

MESSAGES = 20  # of one conversation
_SENTENCES = 6  # of an answer
_PARTS = 5  # archives, so that both contenders have their turn often
_LIMIT = 0.7


def measure_import(folder: Path, corpus: Corpus, conversations: int) -> list[Figure]:
    """Archives of ``conversations`` in all; both contenders write the same turns."""
    size = max(1, conversations // _PARTS)
    chats = [_chat(corpus, number) for number in range(size * min(_PARTS, conversations))]
    calls = [chats[start : start + size] for start in range(0, len(chats), size)]
    archives = [write_export(folder / f"{n}.zip", part, n * size) for n, part in enumerate(calls)]
    turns = [
        [_same(turn, n * size + place) for place, chat in enumerate(part) for turn in chat]
        for n, part in enumerate(calls)
    ]
    with (
        bench_mind(folder / "imported.db") as imported,
        bench_mind(folder / "recorded.db") as recorded,
    ):
        contenders: dict[str, Callable[[int], object]] = {
            "import": lambda number: import_source(imported, str(archives[number])),
            "record_many": lambda number: recorded.record_many(turns[number]),
        }
        timed = side_by_side(contenders, len(calls), block=1)
        for mind in (imported, recorded):
            assert mind.stats().turns == len(chats) * MESSAGES, "each of them took in all"
    ours, theirs = timed["import"], timed["record_many"]
    each = size * MESSAGES
    return [
        figure(
            "import", f"ChatGPT export, {corpus.tongue}", "turns/s", each / ours.median,
            beside="record_many", baseline=each / theirs.median, ratio=1 / ours.ratio(theirs),
            target=ratio_at_least(_LIMIT),
            details={"conversations": len(chats), "messages": MESSAGES, "archives": len(calls)},
        ),
    ]  # fmt: skip


def _chat(corpus: Corpus, number: int) -> list[NewTurn]:
    """A person asks briefly, and is answered at length."""
    said = iter(corpus.turns(number * MESSAGES * _SENTENCES, MESSAGES * _SENTENCES))
    roles: tuple[Role, Role] = ("user", "assistant")
    return [
        NewTurn("", roles[n % 2], " ".join(next(said).text for _ in range(1 + n % 2 * _SENTENCES)))
        for n in range(MESSAGES)
    ]


def _same(turn: NewTurn, number: int) -> NewTurn:
    """The turn as a host would record it, in the session that the export has it in."""
    return NewTurn(_id(number), turn.role, turn.text, channel="chatgpt", at=turn.at)


def _id(number: int) -> str:
    return f"chat-{number:06}"


def write_export(path: Path, chats: list[list[NewTurn]], first: int) -> Path:
    """Conversations in the shape and with the weight of a real export."""
    exported = [_conversation(_id(n), turns) for n, turns in enumerate(chats, first)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(exported))
        archive.writestr("chat.html", "<html></html>")
    return path


def _conversation(id_: str, turns: list[NewTurn]) -> dict[str, Any]:
    nodes: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": [f"{id_}-0"]}
    }
    for place, turn in enumerate(turns):
        name, last = f"{id_}-{place}", place + 1 == len(turns)
        nodes[name] = {
            "id": name,
            "message": {
                "id": name,
                "author": {"role": turn.role, "name": None, "metadata": {}},
                "create_time": 1_700_000_000.25 + place,
                "update_time": None,
                "content": {"content_type": "text", "parts": [turn.text]},
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": {"model_slug": "gpt-4o", "timestamp_": "absolute"},
                "recipient": "all",
            },
            "parent": "root" if place == 0 else f"{id_}-{place - 1}",
            "children": [] if last else [f"{id_}-{place + 1}"],
        }
    return {
        "title": id_,
        "create_time": 1_700_000_000.0,
        "mapping": nodes,
        "current_node": f"{id_}-{len(turns) - 1}",
        "conversation_id": id_,
    }

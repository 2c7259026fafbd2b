"""The program that stands for one peer: requests as JSON lines in, replies as JSON lines out.

Runs in the environment of the peer, so it needs the standard library alone. Requests are
``{"add": [items]}``, which begins a fresh memory, ``{"search": query, "limit": k}`` and
``{"close": true}``. A reply has the processor ``seconds`` of the work; that of a search also has
``found``: ids with scores, best first.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any, Protocol

Item = dict[str, str]
Found = list[tuple[str, float]]


class Peer(Protocol):
    """One fresh memory."""

    def add(self, items: Sequence[Item]) -> None: ...
    def search(self, query: str, limit: int) -> Found: ...
    def close(self) -> None: ...


def render(item: Item) -> str:
    """The text of an item as every peer indexes it."""
    return f"{item['speaker']}: {item['text']}" if item["speaker"] else item["text"]


def serve(version: str, make: Callable[[], Peer]) -> None:
    """Answer requests until there are none."""
    # What a library prints must not stand between the replies.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peer: Peer | None = None

    def reply(**values: Any) -> None:
        replies.write(json.dumps(values) + "\n")
        replies.flush()

    reply(version=version)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        begun = process_time()
        if "add" in request:
            peer = make()
            peer.add(request["add"])
            reply(seconds=process_time() - begun)
        elif "search" in request and peer is not None:
            found = peer.search(request["search"], request["limit"])
            reply(seconds=process_time() - begun, found=found)
        elif peer is not None:
            peer.close()
            peer = None
            reply(seconds=process_time() - begun)

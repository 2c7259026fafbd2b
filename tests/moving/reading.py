"""Chat files from Python values."""

from __future__ import annotations

import io
import json
from typing import Any

from mnemic.moving.chats import Chats
from mnemic.moving.pieces import Piece
from mnemic.types import NewTurn


def read(data: Any, **options: Any) -> list[Piece]:
    text = data if isinstance(data, str | bytes) else json.dumps(data, ensure_ascii=False)
    raw = text if isinstance(text, bytes) else text.encode()
    return list(Chats(io.BytesIO(raw), **options))


def turns(data: Any, **options: Any) -> list[NewTurn]:
    pieces = read(data, **options)
    assert not [piece.reason for piece in pieces if piece.turn is None]
    return [piece.turn for piece in pieces if piece.turn is not None]


def lines(*objects: Any) -> str:
    return "".join(
        (o if isinstance(o, str) else json.dumps(o, ensure_ascii=False)) + "\n" for o in objects
    )

"""Conversations: turns and messages by line, and the exports of ChatGPT and Claude, also zipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.chats import FORMATS, SIGNS, Chats
from mnemic.moving.claude_account import account_members, read_account
from mnemic.moving.pieces import Piece
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource

_SUFFIXES = (".json", ".jsonl", ".ndjson")
_ANY = "turns"  # what its keys show, object by object
# A large export of ChatGPT comes in several numbered files.
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")


class ChatReader:
    """Reads files of conversations: any JSON that no other reader knows."""

    formats = FORMATS

    def recognizes(self, source: ImportSource) -> str:
        inside = _conversations(source)
        if inside:
            heads = map(source.head_of, inside)  # the first of them that can be read
            return _format_of(next(filter(None, heads), b""))
        if account_members(source):
            return "claude"
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        named = PurePosixPath(source.name).suffix in _SUFFIXES
        return _format_of(source.head) if named or text[:1] in (b"{", b"[") else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        stated = "" if format == _ANY else format
        inside = _conversations(source)
        beside = account_members(source) if format == "claude" else []
        if source.is_single:
            with source.open() as stream:
                yield from Chats(stream, session=source.session, format=stated)
            return
        if not inside and not beside:
            raise InvalidInput(
                f"{source.name} holds no conversations.json", remedy="Give the file itself"
            )
        projects: dict[str, str] = {}

        def read(name: str, stream: BinaryIO) -> Iterator[Piece]:
            if name in beside:
                return read_account(name, stream, projects)
            return iter(Chats(stream, session=source.session, format=stated))

        yield from read_members(source, [*inside, *beside], read)


def _format_of(head: bytes) -> str:
    return next((format for sign, format in SIGNS.items() if f'"{sign}"'.encode() in head), _ANY)


def _conversations(source: ImportSource) -> list[str]:
    return [name for name in source.members() if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)]


READER = ChatReader()

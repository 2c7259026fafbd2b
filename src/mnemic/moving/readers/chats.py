"""Conversations: turns and messages by line, and the exports of ChatGPT and Claude, also zipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from mnemic.errors import InvalidInput
from mnemic.moving.chats import FORMATS, SIGNS, Chats
from mnemic.moving.claude_account import account_members, account_pieces
from mnemic.moving.pieces import Piece
from mnemic.moving.source import ImportSource

_SUFFIXES = (".json", ".jsonl", ".ndjson")
_HEAD = 1 << 16
_ANY = "turns"  # what its keys show, object by object
# A large export of ChatGPT comes in several numbered files.
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")


class ChatReader:
    """Reads files of conversations: any JSON that no other reader knows."""

    formats = FORMATS

    def recognizes(self, source: ImportSource) -> str:
        inside = _conversations(source)
        if inside:
            return _format_inside(source, inside)
        if account_members(source):
            return "claude"
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        named = PurePosixPath(source.name).suffix in _SUFFIXES
        return _format_of(source.head) if named or text[:1] in (b"{", b"[") else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        stated = "" if format == _ANY else format
        inside = _conversations(source)
        beside = account_members(source) if format == "claude" else []
        if not inside and not beside and (source.is_folder or source.members()):
            raise InvalidInput(
                f"{source.name} holds no conversations.json", remedy="Give the file itself"
            )
        source.done = 0
        if not inside and not beside:
            with source.open() as stream:
                yield from Chats(stream, session=source.session, format=stated)
            return
        source.total = sum(map(source.member_size, [*inside, *beside]))
        for name in inside:
            try:
                with source.open_member(name) as stream:
                    for piece in Chats(stream, session=source.session, format=stated):
                        yield piece if len(inside) == 1 else piece.within(name)
            except InvalidInput as error:  # what was read of it stays, and the next is read
                yield Piece(name, None, error.message)
        yield from account_pieces(source, beside)


def _format_inside(source: ImportSource, inside: list[str]) -> str:
    """By the first of the files that can be read."""
    for name in inside[:-1]:
        with suppress(InvalidInput):
            return _format_of(_head(source, name))
    return _format_of(_head(source, inside[-1]))


def _head(source: ImportSource, name: str) -> bytes:
    with source.open_member(name) as stream:
        return stream.read(_HEAD)


def _format_of(head: bytes) -> str:
    return next((format for sign, format in SIGNS.items() if f'"{sign}"'.encode() in head), _ANY)


def _conversations(source: ImportSource) -> list[str]:
    return [name for name in source.members() if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)]


READER = ChatReader()

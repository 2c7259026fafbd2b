"""Statements: messages that state a fact, and are no question, order, wish or acknowledgement."""

from __future__ import annotations

from mnemic.language.outcome import verdict
from mnemic.language.story import is_order, is_request
from mnemic.language.word_file import WordFile

pattern = WordFile("mnemic.language", "statements.toml").pattern


def is_statement(message: str) -> bool:
    """Whether somebody tells how things are, and wants nothing done."""
    return is_request(message) and verdict(message) is None and only_tells(message)


def only_tells(message: str) -> bool:
    """The same of a message that is neither a nod nor a word on the work so far."""
    return (
        not is_order(message)
        and bool(pattern("tells").search(message))
        and not pattern("asks").search(message)
        and not pattern("wishes").search(message)
    )

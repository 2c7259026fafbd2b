"""Tasks in what people write, work that was asked for or announced, and its end; and statements,
which want nothing done.
"""

from __future__ import annotations

from typing import Literal

from mnemic.language.actions import sentences
from mnemic.language.outcome import verdict
from mnemic.language.story import is_order, is_request
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer

pattern = WordFile("mnemic.language", "tasks.toml").pattern

_CLAUSES = defer(r"(?<=[，,；;])\s*")


def task_in(message: str) -> str:
    """The first sentence that asks for work or names an open item, on one line; empty for talk:
    greetings, questions, stories, opinions, and facts.
    """
    return next(filter(states_task, sentences(message)), "")


def states_task(sentence: str) -> bool:
    """Whether a sentence states work to be done."""
    if pattern("named").search(sentence):
        return True
    if any(map(_is_work_order, _CLAUSES.split(sentence))):
        return True
    return bool(pattern("in_hand").search(sentence)) and not pattern("question").search(sentence)


def _is_work_order(clause: str) -> bool:
    polite = pattern("polite").match(clause)
    order = clause[polite.end() :] if polite else clause
    asks = bool(polite and polite["asks"])
    if not asks and pattern("question").search(clause):
        return False
    if pattern("talk").search(order) or pattern("states").search(order):
        return False
    if pattern("asked").match(clause[polite.start("asks") :] if asks and polite else order):
        return True
    return is_order(order) or bool(pattern("work_orders").search(order))


def end_of_task(message: str) -> Literal["done", "cancelled"] | None:
    """Whether a message says that the task at hand is done or not wanted any more; thanks alone
    say neither.
    """
    if pattern("cancelled").search(message):
        return "cancelled"
    plain = pattern("thanks").sub("", message)
    return "done" if verdict(plain) == "success" else None


def is_statement(message: str) -> bool:
    """Whether somebody tells how things are, and wants nothing done."""
    return (
        is_request(message)
        and verdict(message) is None
        and not is_order(message)
        and bool(pattern("tells").search(message))
        and not pattern("asks").search(message)
        and not pattern("wishes").search(message)
    )

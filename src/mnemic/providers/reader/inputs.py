"""What the reader's models are given: a turn beside the turn before it, or a question.

A turn reads ``[CLS] end of the turn before [SEP] day speaker: the turn [SEP]``; a long one is read
in windows that overlap. Only the vectors of its own pieces are kept. A question reads ``[CLS]
question [SEP]``. Training and the engine build their inputs here, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, Protocol

from mnemic.late import dataclass
from mnemic.patterns import defer

Script = Literal["latin", "han"]
SCRIPTS: tuple[Script, ...] = ("latin", "han")
BEFORE = 40  # pieces of the turn before
WINDOW = 128  # pieces of a turn that are read at once
OVERLAP = 16
QUESTION = 64  # pieces of a question; of a long message the end says what is wanted
MOST_WINDOWS = 12  # of a text, some pages; what lies beyond is found by its words
_MOST_CHARACTERS = 24_000
_BEFORE_CHARACTERS = 400
_LETTERS_A_HAN = 3  # a word of Latin letters is about as long as this many times a Han one
_HAN = defer("[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LATIN = defer("[A-Za-z\u00c0-\u024f]")


@dataclass(frozen=True, slots=True)
class TurnText:
    """A text to read, with what it was said beside; ``before`` begins with its own speaker."""

    text: str
    speaker: str = ""
    day: date | None = None
    before: str = ""


def ending_passage(memory: str, text: str) -> TurnText:
    """Something known beside what was said later, which may end it."""
    return TurnText(text, "user", before=f"memory: {memory}")


@dataclass(frozen=True, slots=True)
class PieceWindow:
    """Pieces for a model; those from ``own`` on, but for the closing mark, are the turn's."""

    ids: tuple[int, ...]
    own: int
    offsets: tuple[tuple[int, int], ...] = ()  # where each piece of the text lies in it


class Tokenizer(Protocol):
    """The part of a ``tokenizers.Tokenizer`` that is used here."""

    def encode(self, sequence: str, *, add_special_tokens: bool) -> Any: ...
    def token_to_id(self, token: str) -> int | None: ...


def script_of(text: str) -> Script:
    """The script that most of a text is written in, which decides who reads it."""
    if text.isascii():
        return "latin"
    text = text[:_MOST_CHARACTERS]
    han = len(_HAN.findall(text))
    return "han" if han and han * _LETTERS_A_HAN >= len(_LATIN.findall(text)) else "latin"


class Cutter:
    """Cuts texts into the pieces of one model."""

    def __init__(self, tokenizer: Tokenizer, script: Script) -> None:
        self._tokenizer = tokenizer
        self._script = script
        self._first = tokenizer.token_to_id("[CLS]") or 0
        self._end = tokenizer.token_to_id("[SEP]") or 0
        self._unknown = tokenizer.token_to_id("[UNK]")

    def question(self, text: str) -> PieceWindow:
        """A question, as the model reads it."""
        pieces = self._pieces(text[-_BEFORE_CHARACTERS:])[-QUESTION:]
        return PieceWindow((self._first, *pieces, self._end), 0)

    def knows(self, window: PieceWindow) -> bool:
        """Whether any piece of a question is known: letters of no script all look alike."""
        return any(token != self._unknown for token in window.ids[1:-1])

    def windows(self, passage: TurnText) -> list[PieceWindow]:
        """A passage in one window, or in several where it is long."""
        before = self._pieces(passage.before[-_BEFORE_CHARACTERS:])[-BEFORE:]
        opening = self._pieces(self._opening(passage))
        text = self._tokenizer.encode(passage.text[:_MOST_CHARACTERS], add_special_tokens=False)
        head = (self._first, *before, self._end, *opening)
        first = len(before) + 2
        return [
            PieceWindow((*head, *text.ids[at:to], self._end), first, tuple(text.offsets[at:to]))
            for at, to in _stretches(len(text.ids))
        ]

    def _opening(self, passage: TurnText) -> str:
        day = "" if passage.day is None else _spell_day(passage.day, self._script) + " "
        return day + (f"{passage.speaker}: " if passage.speaker else "")

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return pieces


def _stretches(length: int) -> Sequence[tuple[int, int]]:
    if length <= WINDOW:
        return [(0, length)]
    starts = range(0, length - OVERLAP, WINDOW - OVERLAP)
    return [(at, min(at + WINDOW, length)) for at in starts[:MOST_WINDOWS]]


_MONTHS = (
    "January February March April May June July August September October November December"
).split()


def _spell_day(day: date, script: Script) -> str:
    """A day in words that a question may share."""
    if script == "han":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

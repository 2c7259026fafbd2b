"""Fitting the conversation into a number of tokens: the latest turns whole, the older in short."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from recollect.context.fit import (
    CUT,
    FULL,
    LEAST_PIECE,
    Fitted,
    cost,
    gone,
)
from recollect.context.parts import ConversationPart, Drawn
from recollect.context.render import pieces_of, turn_lines, turn_message
from recollect.context.shares import share_out
from recollect.context.words import EARLIER, HEADINGS
from recollect.language.digest import digest, shorten
from recollect.language.exchanges import Exchange, exchanges, latest_rounds
from recollect.language.fence import fence
from recollect.language.lines import indented
from recollect.language.tokens import TokenCounter
from recollect.language.truncation import cut_to_tokens
from recollect.prompts import Language
from recollect.settings.recall import SectionName
from recollect.types import Message, Omission, Turn

COMPRESSED = "compressed into the summary"
_FOR_SUMMARY = 5  # One part in so many is held back for the summary when not all turns fit.
_DIGEST_CHARS = 1_000

Shown = tuple[Turn, tuple[str, ...]]  # A turn with its pieces, as short as they had to be.


@dataclass(frozen=True, slots=True)
class TalkPart:
    """The conversation as a part of the prompt; at most ``rounds`` rounds of it as they were."""

    talk: ConversationPart
    rounds: int
    count: TokenCounter
    language: Language
    name: SectionName = "recent"

    def fit(self, room: int | None) -> Fitted:
        limit = sys.maxsize if room is None else room
        groups = exchanges(self.talk.turns)
        spare = limit
        prices: dict[int, int] = {}
        while spare > 0:
            fitted = self._within(groups, prices, spare)
            if fitted.tokens <= limit:
                return fitted
            spare -= fitted.tokens - limit
        return Fitted(left=(*self._gone(self.talk.turns, FULL), *self._untold("")))

    def _within(self, groups: Sequence[Exchange], prices: dict[int, int], room: int) -> Fitted:
        """The best version for about ``room`` tokens; the caller looks how it came out."""
        inner = room - self._made([], "-").tokens
        start, used = self._latest(groups, prices, inner - self.count(self.talk.summary))
        if start > 0:
            start, used = self._latest(groups, prices, inner - inner // _FOR_SUMMARY)
        shown = [(turn, pieces_of(turn)) for turn in chain.from_iterable(groups[start:])]
        if not shown and groups:
            shown = self._shortened(groups[-1], inner)
            start -= len(shown) > 0
            used = sum(self._turn_cost(*one) for one in shown)
        older = list(chain.from_iterable(groups[:start]))
        summary = self._summary(older, inner - used)
        made = self._made(shown, summary)
        left = (
            *self._gone(older, COMPRESSED if summary else FULL),
            *self._cut(shown),
            *self._untold(summary),
        )
        return Fitted(made.text, made.tokens, made.ids, left, made.messages)

    def _latest(
        self, groups: Sequence[Exchange], prices: dict[int, int], room: int
    ) -> tuple[int, int]:
        """Where the latest stretch begins that costs at most ``room``, and what it costs.

        ``prices`` keeps what was measured, for the next try with another room.
        """
        first = latest_rounds(groups, self.rounds)
        start, used = len(groups), 0
        while start > first:
            place = start - 1
            if place not in prices:
                group = groups[place]
                prices[place] = sum(self._turn_cost(turn, pieces_of(turn)) for turn in group)
            if used + prices[place] > room:
                break
            start, used = place, used + prices[place]
        return start, used

    def _shortened(self, group: Exchange, room: int) -> list[Shown]:
        """One exchange in less: every turn of it stays, long pieces give way."""
        bare = [(turn, ("",) * len(pieces_of(turn))) for turn in group]
        pieces = [piece for turn in group for piece in pieces_of(turn)]
        left = room - sum(self._turn_cost(*shown) for shown in bare)
        shares = share_out([self.count(piece) for piece in pieces], left)
        short = [self._piece(piece, share) for piece, share in zip(pieces, shares, strict=True)]
        if not any(short):
            return []
        cut = iter(short)
        return [(turn, tuple(next(cut) for _ in empty)) for turn, empty in bare]

    def _piece(self, piece: str, share: int) -> str:
        return cut_to_tokens(piece, share, self.count)

    def _summary(self, older: Sequence[Turn], room: int) -> str:
        """What was before in at most ``room`` tokens; the nearer past has the first claim."""
        told = [self.talk.summary.strip(), digest(older, _DIGEST_CHARS)]
        if room < LEAST_PIECE // 2 or not any(told):
            return ""
        shares = share_out([self.count(f"{text}\n") for text in told], room)
        short = [
            cut_to_tokens(text, share, self.count) for text, share in zip(told, shares, strict=True)
        ]
        return "\n".join(filter(None, short))

    def _made(self, shown: Sequence[Shown], summary: str) -> Fitted:
        drawn = [self._draw(*one) for one in shown]
        lines = [one.lines for one in drawn]
        said = [one.message for one in drawn if one.message is not None]
        spoken = sum(one.spoken for one in drawn)
        if summary:
            earlier = f"{EARLIER[self.language]}\n  {indented(summary, '  ')}"
            lines.insert(0, earlier)
            said.insert(0, Message("user", fence(earlier, "conversation")))
            spoken += cost(said[0].content, self.count)
        if not lines:
            return Fitted()
        heading = HEADINGS[self.language][self.name]
        seed = shown[0][0].session if shown else ""
        text = f"{heading}\n{fence(chr(10).join(lines), 'conversation', seed=seed)}"
        tokens = max(cost(text, self.count), spoken)
        return Fitted(text, tokens, tuple(turn.id for turn, _ in shown), (), tuple(said))

    def _turn_cost(self, turn: Turn, pieces: tuple[str, ...]) -> int:
        drawn = self._draw(turn, pieces)
        return max(drawn.spoken, drawn.written)

    def _draw(self, turn: Turn, pieces: tuple[str, ...]) -> Drawn:
        """Each turn once: it is priced first, and written when it fits."""
        key = (turn.id, pieces, self.language, self.count)
        drawn = self.talk.drawn.get(key)
        if drawn is None:
            lines = turn_lines(turn, pieces, self.language)
            message = turn_message(turn, pieces, self.language)
            spoken = cost(message.content, self.count) if message else 0
            drawn = Drawn(lines, message, self.count(lines + "\n"), spoken)
            self.talk.drawn[key] = drawn
        return drawn

    def _gone(self, turns: Iterable[Turn], reason: str) -> tuple[Omission, ...]:
        return tuple(gone(self.name, reason, _told(turn), self.count, turn.id) for turn in turns)

    def _cut(self, shown: Sequence[Shown]) -> list[Omission]:
        return [
            Omission(self.name, CUT, shorten(_told(turn), 80), self._lost(turn, pieces), turn.id)
            for turn, pieces in shown
            if pieces != pieces_of(turn)
        ]

    def _lost(self, turn: Turn, pieces: tuple[str, ...]) -> int:
        return sum(map(self.count, pieces_of(turn))) - sum(map(self.count, pieces))

    def _untold(self, summary: str) -> list[Omission]:
        """The summary that was given, when nothing of it is told."""
        if summary or not self.talk.summary.strip():
            return []
        return [gone(self.name, FULL, self.talk.summary, self.count)]


def _told(turn: Turn) -> str:
    return turn.content or "\n".join(pieces_of(turn)[1:])

"""Fitting the conversation into a token limit: the latest turns whole, the older summarized."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from mnemic.context.fit import CUT, FULL, LEAST_PIECE, FittedPart, omission, share_out, shrink
from mnemic.context.parts import ConversationPart, RenderedTurn, Style
from mnemic.context.render import pieces_of, turn_lines, turn_message
from mnemic.days import local_time
from mnemic.language.digest import digest
from mnemic.language.exchanges import Exchange, exchanges, latest_rounds
from mnemic.language.fence import fence
from mnemic.language.lines import indent
from mnemic.language.truncation import cut, cut_to_tokens
from mnemic.prompts import words
from mnemic.settings.recall import SectionName
from mnemic.types import Message, Omission, Turn

COMPRESSED = "compressed into the summary"
_FOR_SUMMARY = 5  # One part in so many is reserved for the summary when not all turns fit.
_DIGEST_CHARS = 1_000

ShownTurn = tuple[Turn, tuple[str, ...]]  # A turn with its pieces, as short as they had to be.


@dataclass(frozen=True, slots=True)
class ConversationSection:
    """The conversation as a part of the prompt; at most ``rounds`` rounds of it verbatim."""

    conversation: ConversationPart
    rounds: int
    style: Style
    name: SectionName = "recent"

    def fit(self, limit: int | None) -> FittedPart:
        limit = sys.maxsize if limit is None else limit
        groups = exchanges(self.conversation.turns)
        prices: dict[int, int] = {}
        return shrink(limit, limit, partial(self._within, groups, prices)) or FittedPart(
            omitted=(*self._omissions(self.conversation.turns, FULL), *self._omit_summary(""))
        )

    def _within(self, groups: Sequence[Exchange], prices: dict[int, int], limit: int) -> FittedPart:
        """The best version for about ``limit`` tokens; the caller checks what it really costs."""
        inner = limit - self._section([], "-").tokens
        start, used = self._latest(
            groups, prices, inner - self.style.count(self.conversation.summary)
        )
        if start > 0:
            start, used = self._latest(groups, prices, inner - inner // _FOR_SUMMARY)
        turns = [(turn, pieces_of(turn)) for turn in chain.from_iterable(groups[start:])]
        if not turns and groups:
            turns = self._shorten(groups[-1], inner)
            start -= len(turns) > 0
            used = sum(self._turn_cost(*shown) for shown in turns)
        older = list(chain.from_iterable(groups[:start]))
        summary = self._summary(older, inner - used)
        section = self._section(turns, summary)
        omitted = (
            *self._omissions(older, COMPRESSED if summary else FULL),
            *self._cut(turns),
            *self._omit_summary(summary),
        )
        return FittedPart(section.text, section.tokens, section.ids, omitted, section.messages)

    def _latest(
        self, groups: Sequence[Exchange], prices: dict[int, int], limit: int
    ) -> tuple[int, int]:
        """Where the latest stretch within ``limit`` begins, and its cost; ``prices`` is a cache."""
        first = latest_rounds(groups, self.rounds)
        start, used = len(groups), 0
        while start > first:
            place = start - 1
            if place not in prices:
                group = groups[place]
                prices[place] = sum(self._turn_cost(turn, pieces_of(turn)) for turn in group)
            if used + prices[place] > limit:
                break
            start, used = place, used + prices[place]
        return start, used

    def _shorten(self, group: Exchange, limit: int) -> list[ShownTurn]:
        """One exchange in fewer tokens: every turn of it stays, long pieces are cut."""
        bare = [(turn, ("",) * len(pieces_of(turn))) for turn in group]
        texts = [text for turn in group for text in pieces_of(turn)]
        rest = limit - sum(self._turn_cost(*shown) for shown in bare)
        shares = share_out([self.style.count(text) for text in texts], rest)
        parts = zip(texts, shares, strict=True)
        short = [cut_to_tokens(text, share, self.style.count) for text, share in parts]
        if not any(short):
            return []
        cut = iter(short)
        return [(turn, tuple(next(cut) for _ in empty)) for turn, empty in bare]

    def _summary(self, older: Sequence[Turn], limit: int) -> str:
        """A summary of the older turns in at most ``limit`` tokens."""
        texts = [self.conversation.summary.strip(), digest(older, _DIGEST_CHARS)]
        if limit < LEAST_PIECE // 2 or not any(texts):
            return ""
        shares = share_out([self.style.count(f"{text}\n") for text in texts], limit)
        short = [
            cut_to_tokens(text, share, self.style.count)
            for text, share in zip(texts, shares, strict=True)
        ]
        return "\n".join(filter(None, short))

    def _section(self, turns: Sequence[ShownTurn], summary: str) -> FittedPart:
        rendered = [self._render(*shown) for shown in turns]
        lines = [turn.lines for turn in rendered]
        messages = [turn.message for turn in rendered if turn.message is not None]
        spoken = sum(turn.spoken for turn in rendered)
        if summary:
            earlier = (
                f"{words('prompt', self.style.language)['earlier']}\n  {indent(summary, '  ')}"
            )
            lines.insert(0, earlier)
            messages.insert(0, Message("user", fence(earlier, "conversation")))
            spoken += self.style.cost(messages[0].content)
        if not lines:
            return FittedPart()
        heading = self.style.heading(self.name)
        seed = turns[0][0].session if turns else ""
        text = f"{heading}\n{fence(chr(10).join(lines), 'conversation', seed=seed)}"
        tokens = max(self.style.cost(text), spoken)
        return FittedPart(text, tokens, tuple(turn.id for turn, _ in turns), (), tuple(messages))

    def _turn_cost(self, turn: Turn, pieces: tuple[str, ...]) -> int:
        rendered = self._render(turn, pieces)
        return max(rendered.spoken, rendered.written)

    def _render(self, turn: Turn, pieces: tuple[str, ...]) -> RenderedTurn:
        """Each turn is rendered once, for its price and for the prompt."""
        zone = self.conversation.zone
        key = (turn.id, pieces, self.style.language, zone, self.style.count)
        rendered = self.conversation.rendered.get(key)
        if rendered is None:
            lines = turn_lines(turn, pieces, self.style.language, local_time(turn.at, zone))
            message = turn_message(turn, pieces, self.style.language)
            spoken = self.style.cost(message.content) if message else 0
            rendered = RenderedTurn(lines, message, self.style.count(lines + "\n"), spoken)
            self.conversation.rendered[key] = rendered
        return rendered

    def _omissions(self, turns: Iterable[Turn], reason: str) -> tuple[Omission, ...]:
        return tuple(
            omission(self.name, reason, _text_of(turn), self.style.count, turn.id) for turn in turns
        )

    def _cut(self, turns: Sequence[ShownTurn]) -> list[Omission]:
        return [
            Omission(self.name, CUT, cut(_text_of(turn), 80), self._cost_cut(turn, pieces), turn.id)
            for turn, pieces in turns
            if pieces != pieces_of(turn)
        ]

    def _cost_cut(self, turn: Turn, pieces: tuple[str, ...]) -> int:
        return sum(map(self.style.count, pieces_of(turn))) - sum(map(self.style.count, pieces))

    def _omit_summary(self, summary: str) -> list[Omission]:
        """The earlier summary, where nothing of it is in the prompt."""
        if summary or not self.conversation.summary.strip():
            return []
        return [omission(self.name, FULL, self.conversation.summary, self.style.count)]


def _text_of(turn: Turn) -> str:
    return turn.text or "\n".join(pieces_of(turn)[1:])

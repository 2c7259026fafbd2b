"""Fitting one part of a prompt into a token limit: as a text, as items."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, zip_longest
from typing import Protocol

from mnemic.context.parts import EPISODE, Item, Style
from mnemic.context.render import item_line, items_block
from mnemic.language.fence import fence, neutral
from mnemic.language.tokens import TokenCounter
from mnemic.language.truncation import cut, cut_to_tokens
from mnemic.settings.recall import SectionName
from mnemic.types import Message, Omission

LEAST_PIECE = 40  # Less than this of a long text is useless.
_EXCERPT = 80
_BEST = 3
_STEEP = 6  # how fast the score that a piece needs rises as the room fills
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

CUT = "shortened to fit"
FULL = "no room in its section"
WEAK = "its score is too low for the room that is left"
NO_SECTION = "this preset has no such section"


@dataclass(frozen=True, slots=True)
class FittedPart:
    """One part as rendered; ``messages`` only where they differ from its text."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()
    messages: tuple[Message, ...] = ()


class PromptPart(Protocol):
    """A part of the prompt that can be made to fit."""

    @property
    def name(self) -> SectionName: ...
    def fit(self, limit: int | None) -> FittedPart:
        """The best version of at most ``limit`` tokens; None: no limit."""
        ...


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part that is one text; ``data`` is what memory may have written of it, and is fenced."""

    name: SectionName
    body: str
    style: Style
    data: str = ""

    def fit(self, limit: int | None) -> FittedPart:
        body, data = self.body.strip(), self.data.strip()
        text = self._write(body, data)
        tokens = self.style.cost(text)
        if limit is None or tokens <= limit:
            return FittedPart(text, tokens)
        spare = limit - self.style.cost(self._shorten(""))
        while spare > 0 and (shorter := cut_to_tokens(data or body, spare, self.style.count)):
            written = self._shorten(shorter)
            now = self.style.cost(written)
            if now <= limit:
                lost = Omission(self.name, CUT, cut(data or body, _EXCERPT), tokens - now)
                return FittedPart(written, now, omitted=(lost,))
            spare -= now - limit
        everything = "\n".join(filter(None, (body, data)))
        return FittedPart(omitted=(omission(self.name, FULL, everything, self.style.count),))

    def _shorten(self, shorter: str) -> str:
        """With less of what memory wrote or, where it wrote nothing, of the text itself."""
        if self.data.strip():
            return self._write(self.body.strip(), shorter, fenced=True)
        return self._write(shorter, "")

    def _write(self, body: str, data: str, *, fenced: bool = False) -> str:
        heading = self.style.heading(self.name)
        inside = fence(data, self.name) if data or fenced else ""
        return "\n".join(filter(None, (heading, neutral(body), inside)))


@dataclass(frozen=True, slots=True)
class ItemsPart:
    """A part made of pieces of memory, the best first.

    With ``whole`` a piece is included complete or not at all; else long ones are shortened so that
    more of them fit.
    """

    name: SectionName
    items: tuple[Item, ...]
    style: Style
    whole: bool = False
    finding: str = ""  # what all of them together answer, before them
    sure: float = 0.0  # the score of a piece that is evidence by itself; 0: each is

    def fit(self, limit: int | None) -> FittedPart:
        limit = sys.maxsize if limit is None else limit
        spare = limit - self.style.cost(self._block([]))
        costs = self._costs(spare)
        return shrink(limit, spare, lambda spare: self._within(costs, spare)) or FittedPart(
            omitted=tuple(
                omission(self.name, FULL, i.text, self.style.count, i.id) for i in self.items
            )
        )

    def _costs(self, spare: int) -> list[int]:
        """The cost of each piece; of whole ones only as far as they fit, and one more."""
        costs: list[int] = []
        for item in self.items:
            costs.append(self.style.count(item_line(item, item.text) + "\n"))
            spare -= costs[-1]
            if self.whole and spare < 0:
                break
        return costs

    def _within(self, costs: list[int], spare: int) -> FittedPart:
        shares = self._shares(costs, spare)
        shown: list[tuple[Item, str]] = []
        omitted: list[Omission] = []
        for item, price, share in zip_longest(self.items, costs, shares):
            text = ""
            if share:
                text = item.text if share >= price else self._shorten(item, share)
            if not text:
                reason = WEAK if item.score < self.sure else FULL
                omitted.append(omission(self.name, reason, item.text, self.style.count, item.id))
                continue
            if text != item.text:
                excerpt = cut(item.text.strip(), _EXCERPT)
                omitted.append(Omission(self.name, CUT, excerpt, price - share, item.id))
            shown.append((item, text))
        if not shown and not self.finding:
            return FittedPart(omitted=tuple(omitted))
        if self.sure:  # as it happened
            shown.sort(key=lambda pair: pair[0].at or _LONG_AGO)
        block = self._block([item_line(item, text) for item, text in shown])
        ids = tuple(item.id for item, _ in shown if item.id)
        return FittedPart(block, self.style.cost(block), ids, tuple(omitted))

    def _shares(self, costs: Sequence[int], spare: int) -> list[int]:
        """What each piece may cost; nothing of it for one that is not shown.

        Where the best together are evidence, those that are so alone come first. What they leave
        is filled with weaker ones, as long as these fit whole and score more, the less room there
        is; where all fit, all are shown.
        """
        if self.whole:
            return list(costs[: bisect_right(list(accumulate(costs)), spare)])
        shares = [0] * len(costs)
        if not are_evidence([item.score for item in self.items], self.sure):
            return shares
        strong = [n for n, item in enumerate(self.items) if item.score >= self.sure]
        prices = [costs[n] for n in strong]
        parts = share_out(prices[: how_many(prices, spare, LEAST_PIECE)], spare)
        for n, share in zip(strong, parts, strict=False):
            shares[n] = share
        if len(strong) == len(costs):
            return shares
        used, everything = sum(shares), sum(costs) <= spare
        for n, item in enumerate(self.items):
            enough = everything or item.score >= self.sure * (used / spare) ** _STEEP
            repeats = item.kind == EPISODE  # it says in short what turns say
            if not shares[n] and not repeats and enough and used + costs[n] <= spare:
                shares[n] = costs[n]
                used += costs[n]
        return shares

    def _shorten(self, item: Item, share: int) -> str:
        head = self.style.count(item_line(item, "") + "\n")
        return cut_to_tokens(item.text.strip(), share - head, self.style.count)

    def _block(self, lines: list[str]) -> str:
        if self.finding:
            lines = [f"- {self.finding}", *lines]
        heading = self.style.heading(self.name)
        return items_block(lines, self.name, heading, self.style.language)


def shrink(limit: int, spare: int, make: Callable[[int], FittedPart]) -> FittedPart | None:
    """The first version that costs no more than the limit, each smaller by what one was over."""
    while spare > 0:
        fitted = make(spare)
        if fitted.tokens <= limit:
            return fitted
        spare -= fitted.tokens - limit
    return None


def omission(section: str, reason: str, text: str, count: TokenCounter, id_: str = "") -> Omission:
    """The record of a piece that is not in the prompt."""
    return Omission(section, reason, cut(text.strip(), _EXCERPT), count(text), id_)


def are_evidence(scores: Sequence[float], sure: float) -> bool:
    """Whether the best pieces together score what evidence has to."""
    return sum(sorted(scores, reverse=True)[:_BEST]) >= sure


def share_out(costs: Sequence[int], total: int) -> list[int]:
    """The share of each piece: short ones all they need, long ones an equal part of the rest."""
    shares = [0] * len(costs)
    rest = max(0, total)
    order = sorted(range(len(costs)), key=lambda place: costs[place])
    for done, place in enumerate(order):
        shares[place] = min(costs[place], rest // (len(costs) - done))
        rest -= shares[place]
    return shares


def how_many(costs: Sequence[int], total: int, least: int) -> int:
    """How many of the first pieces fit when each has at least ``least`` tokens, or all it needs."""
    for count in range(len(costs), 0, -1):
        shares = share_out(costs[:count], total)
        if all(share >= min(cost, least) for cost, share in zip(costs, shares, strict=False)):
            return count
    return 0

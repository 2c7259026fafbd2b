"""Fitting one part of a prompt into a number of tokens: as a text, as items."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from recollect.context.parts import Item
from recollect.context.render import item_line, items_block
from recollect.context.shares import how_many, share_out
from recollect.context.words import HEADINGS
from recollect.language.digest import shorten
from recollect.language.fence import fence, neutral
from recollect.language.tokens import TokenCounter
from recollect.language.truncation import cut_to_tokens
from recollect.prompts import Language
from recollect.settings.recall import SectionName
from recollect.types import Message, Omission

BETWEEN = "\n\n"
LEAST_PIECE = 40  # Less than this of a long text says nothing.
_SHOWN = 80

CUT = "shortened to fit"
FULL = "no room in its section"
NO_SECTION = "this preset has no such section"


@dataclass(frozen=True, slots=True)
class Fitted:
    """One part as it will stand. ``messages`` only where it is not simply its text."""

    text: str = ""
    tokens: int = 0
    ids: tuple[str, ...] = ()
    left: tuple[Omission, ...] = ()
    messages: tuple[Message, ...] = ()


class PromptPart(Protocol):
    """A part of the prompt that can be made to fit."""

    @property
    def name(self) -> SectionName: ...
    def fit(self, room: int | None) -> Fitted:
        """The best version of at most ``room`` tokens; None: as long as it is."""
        ...


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part that is one text; ``data`` is what memory may have written of it, and is fenced."""

    name: SectionName
    body: str
    count: TokenCounter
    language: Language
    data: str = ""

    def fit(self, room: int | None) -> Fitted:
        body, data = self.body.strip(), self.data.strip()
        whole = self._written(body, data)
        tokens = cost(whole, self.count)
        if room is None or tokens <= room:
            return Fitted(whole, tokens)
        spare = room - cost(self._shortened(""), self.count)
        while spare > 0 and (shorter := cut_to_tokens(data or body, spare, self.count)):
            written = self._shortened(shorter)
            now = cost(written, self.count)
            if now <= room:
                lost = Omission(self.name, CUT, shorten(data or body, _SHOWN), tokens - now)
                return Fitted(written, now, left=(lost,))
            spare -= now - room
        everything = "\n".join(filter(None, (body, data)))
        return Fitted(left=(gone(self.name, FULL, everything, self.count),))

    def _shortened(self, shorter: str) -> str:
        """With less of what memory wrote or, where that is nothing, of the text itself."""
        if self.data.strip():
            return self._written(self.body.strip(), shorter, fenced=True)
        return self._written(shorter, "")

    def _written(self, body: str, data: str, *, fenced: bool = False) -> str:
        heading = HEADINGS[self.language].get(self.name, "")
        inside = fence(data, self.name) if data or fenced else ""
        return "\n".join(filter(None, (heading, neutral(body), inside)))


@dataclass(frozen=True, slots=True)
class ItemsPart:
    """A part made of pieces of memory, the best first.

    With ``whole`` a piece is there as it is or not at all; else long ones are shortened so that
    more of them fit.
    """

    name: SectionName
    items: tuple[Item, ...]
    count: TokenCounter
    language: Language
    whole: bool = False

    def fit(self, room: int | None) -> Fitted:
        around = cost(self._block([]), self.count)
        costs = self._costs(None if room is None else room - around)
        spare = sum(costs) if room is None else room - around
        while spare > 0:
            fitted = self._within(costs, spare)
            if room is None or fitted.tokens <= room:
                return fitted
            spare -= fitted.tokens - room
        return Fitted(left=tuple(self._gone(item) for item in self.items))

    def _costs(self, spare: int | None) -> list[int]:
        """What each piece costs; of whole ones only as far as they fit, and one more."""
        costs: list[int] = []
        for item in self.items:
            costs.append(self.count(item_line(item, item.text) + "\n"))
            if self.whole and spare is not None:
                spare -= costs[-1]
                if spare < 0:
                    break
        return costs

    def _within(self, costs: list[int], spare: int) -> Fitted:
        if self.whole:
            many = bisect_right(list(accumulate(costs)), spare)
        else:
            many = how_many(costs, spare, LEAST_PIECE)
        lines: list[str] = []
        ids: list[str] = []
        left: list[Omission] = []
        shares = share_out(costs[:many], spare)
        for item, price, share in zip(self.items, costs, shares, strict=False):
            text = item.text if share >= price else self._shortened(item, share)
            if not text:
                left.append(self._gone(item))
                continue
            if text != item.text:
                left.append(Omission(self.name, CUT, self._shown(item), price - share, item.id))
            lines.append(item_line(item, text))
            ids.append(item.id)
        left += [self._gone(item) for item in self.items[many:]]
        if not lines:
            return Fitted(left=tuple(left))
        block = self._block(lines)
        return Fitted(block, cost(block, self.count), tuple(filter(None, ids)), tuple(left))

    def _shortened(self, item: Item, share: int) -> str:
        head = self.count(item_line(item, "") + "\n")
        return cut_to_tokens(item.text.strip(), share - head, self.count)

    def _block(self, lines: list[str]) -> str:
        return items_block(lines, self.name, HEADINGS[self.language][self.name], self.language)

    def _gone(self, item: Item) -> Omission:
        return gone(self.name, FULL, item.text, self.count, item.id)

    def _shown(self, item: Item) -> str:
        return shorten(item.text.strip(), _SHOWN)


def cost(text: str, count: TokenCounter) -> int:
    """What a part costs with the space to the next one."""
    return count(text + BETWEEN) if text else 0


def gone(section: str, reason: str, text: str, count: TokenCounter, id_: str = "") -> Omission:
    """A piece that is not in the prompt at all."""
    return Omission(section, reason, shorten(text.strip(), _SHOWN), count(text), id_)

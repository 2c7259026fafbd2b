"""The one budget law: parts with a size each, a total, an order of cutting, and what is never cut.

A preset that names the parts to cut (``context.cut``) has them cut by what they really need: each
keeps its size under a smaller total of the caller's, and where all parts together cost more, they
give way one after the other, the first to nothing before the second loses anything. Where none is
named, evidence and conversation share what the others leave of a total of the caller's, in the
proportions of their sizes; what one of them does not need, the other has. Kept parts give way to
no other part. Only where they alone cost more than the whole total do they lose their least
important lines, and the context says so: a memory that grew must not take away the context of a
host whose budget stayed the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from mnemic.late import data_of, dataclass
from mnemic.rules.checks import check_count
from mnemic.settings.recall import ContextSettings, SectionName

MOST_TOKENS = 2**31 - 1

# As they stand in the prompt. What hardly ever changes comes first, so that the beginning of the
# prompt stays the same from message to message and can be cached; what changes with each, last.
PROMPT_ORDER: tuple[SectionName, ...] = (
    "guide", "system", "identity", "persona", "rules", "cards", "user", "catalogs", "core",
    "recent", "scratchpad", "evidence", "runtime",
)  # fmt: skip
FLEXIBLE: tuple[SectionName, ...] = ("evidence", "recent")  # parts that can be any size


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens for each part in the order of the prompt, and for the whole.

    ``full`` is what a part may have where others leave room: its size before a caller's own total
    made it smaller or, for a part that grows, all of the room. The core has at most half of it: it
    is the same for every message, and must not depend on what the others need for this one.
    """

    total: int
    reply: int
    sizes: Mapping[SectionName, int]
    full: Mapping[SectionName, int]
    separate: tuple[SectionName, ...]
    cut: tuple[SectionName, ...]
    keep: tuple[SectionName, ...]

    @property
    def room(self) -> int:
        """Tokens of the parts that the total counts."""
        return max(0, self.total - self.reply)


def window_of(context: ContextSettings, model: str = "") -> int:
    """The window of a model by its name: the user's own entry, else what is known of it."""
    return context.windows.get(model) or find_window(model) or context.window


def budget_of(
    context: ContextSettings, *, model: str = "", total: int | None = None
) -> TokenBudget:
    """The budget for a model; ``total`` is the caller's own, in place of the settings'."""
    if total is not None:
        check_count(total, "budget", MOST_TOKENS)
    window = window_of(context, model)
    if total is not None and not context.total:
        window = total  # Where the whole window is the total, shares are shares of the total.
    sizes = {name: context.sections[name].of(window) for name in PROMPT_ORDER}
    reply = context.sections["reply"].of(window)
    full = {name: size for name, size in sizes.items() if size}
    if total is not None and context.total:
        reply = min(reply, reply * total // context.total)
        shares = _spread(sizes, total - reply, context)
        sizes = {n: max(sizes[n], shares[n]) for n in sizes} if context.cut else shares
    limit = total or context.total or window
    room = {name: (limit - reply) // (2 if name == "core" else 1) for name in context.grow}
    return TokenBudget(
        total=limit,
        reply=reply,
        sizes={name: max(1, sizes[name]) for name in full},
        full={name: max(size, room.get(name, 0)) for name, size in full.items()},
        separate=context.separate,
        cut=_cut(context),
        keep=context.keep,
    )


def allot(budget: TokenBudget, costs: Mapping[SectionName, int]) -> dict[SectionName, int]:
    """What each part may cost to keep the total, given what it costs at its own size."""
    rooms = dict(costs)
    over = sum(cost for name, cost in costs.items() if name not in budget.separate) - budget.room
    for name in (*giving_way(budget), *list_kept(budget)):
        if over <= 0:
            break
        reduction = min(over, rooms.get(name, 0))
        if reduction:
            rooms[name] -= reduction
            over -= reduction
    return rooms


def giving_way(budget: TokenBudget) -> tuple[SectionName, ...]:
    """The parts that can be cut: those of ``cut``, then the rest from the end of the prompt."""
    fixed = {*budget.cut, *budget.keep, *budget.separate}
    named = [name for name in budget.cut if name not in budget.separate]
    return (*named, *(name for name in reversed(PROMPT_ORDER) if name not in fixed))


def list_kept(budget: TokenBudget) -> tuple[SectionName, ...]:
    """The parts that are cut only when nothing else is left to cut, from the end of the prompt."""
    movable = {*budget.cut, *budget.separate}
    return tuple(n for n in reversed(PROMPT_ORDER) if n in budget.keep and n not in movable)


def _cut(context: ContextSettings) -> tuple[SectionName, ...]:
    """The parts that are cut first, in their order."""
    return context.cut or tuple(name for name in FLEXIBLE if name not in context.keep)


def _spread(
    sizes: Mapping[SectionName, int], room: int, context: ContextSettings
) -> dict[SectionName, int]:
    """Parts that can be any size share what the others leave, in the proportions of their sizes."""
    counted = {name: size for name, size in sizes.items() if name not in context.separate}
    parts = _cut(context)
    flexible = sum(counted.get(name, 0) for name in parts)
    if not flexible:
        return dict(sizes)
    remaining = max(0, room - (sum(counted.values()) - flexible))
    return {
        name: size * remaining // flexible if name in parts and name in counted else size
        for name, size in sizes.items()
    }


_ENDS = "-.:_@"  # what may follow the name of a family


@lru_cache(maxsize=64)
def find_window(model: str) -> int | None:
    """The window of a well-known model, in tokens; None for any other. Makers state them for whole
    families, so the longest beginning of the name that fits decides; where sizes of a family
    differ, the smallest. A name may have the provider in front: ``openai/gpt-4o``.
    """
    name = model.lower().rpartition("/")[2]
    windows = _windows()
    fits = [family for family in windows if _is_of(name, family)]
    return windows[max(fits, key=len)] if fits else None


@cache
def _windows() -> dict[str, int]:
    listed = data_of("mnemic.rules").joinpath("context_windows.tsv").read_text("utf-8")
    lines = (line for line in listed.splitlines() if not line.startswith("#"))
    return {family: int(size) for family, size in (line.split("\t") for line in lines)}


def _is_of(name: str, family: str) -> bool:
    rest = name.removeprefix(family)
    return name.startswith(family) and (not rest or rest[0] in _ENDS or rest[0].isdigit())

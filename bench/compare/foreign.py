"""Questions of other banks, asked of one that cannot answer them, as if they were about its people.

A name that the bank never heard would give such a question away, so the speakers' names of the
bank that a question comes from are exchanged for those of the bank that is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bench.banks import Bank

_SEED = 20
_ROLES = frozenset({"", "user", "assistant", "system", "tool", "用户", "助手"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is kept of a bank while others are read: its speakers, the chattiest first, and its
    questions.
    """

    names: tuple[str, ...]
    queries: tuple[str, ...]


def speakers(bank: Bank) -> tuple[str, ...]:
    """The people of a bank who have a name."""
    counts = Counter(item.speaker for item in bank.items if item.speaker.lower() not in _ROLES)
    return tuple(name for name, _ in counts.most_common())


def exchange_names(query: str, theirs: Sequence[str], ours: Sequence[str]) -> str:
    """The question with each of their names as one of ours, in one pass."""
    if not theirs or not ours:
        return query
    swap = {name: ours[place % len(ours)] for place, name in enumerate(theirs)}
    longest = sorted(map(re.escape, swap), key=len, reverse=True)
    pattern = rf"(?<![A-Za-z])(?:{'|'.join(longest)})(?![A-Za-z])"
    return re.sub(pattern, lambda found: swap[found.group()], query)


def draw_foreign(banks: Sequence[Asked]) -> list[list[str]]:
    """For every bank as many questions of the others as it has, drawn with a fixed seed."""
    rng = Random(_SEED)
    drawn: list[list[str]] = []
    for place, bank in enumerate(banks):
        queries = {
            exchange_names(query, other.names, bank.names)
            for number, other in enumerate(banks)
            if number != place
            for query in other.queries
        }
        pool = sorted(queries - set(bank.queries))
        drawn.append(rng.sample(pool, min(len(bank.queries), len(pool))))
    return drawn

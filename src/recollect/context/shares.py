"""Sharing a number of tokens between pieces of unequal length."""

from __future__ import annotations

from collections.abc import Sequence


def share_out(costs: Sequence[int], room: int) -> list[int]:
    """What each piece may cost: short ones all they need, long ones an equal part of the rest."""
    shares = [0] * len(costs)
    left = max(0, room)
    order = sorted(range(len(costs)), key=lambda place: costs[place])
    for done, place in enumerate(order):
        shares[place] = min(costs[place], left // (len(costs) - done))
        left -= shares[place]
    return shares


def how_many(costs: Sequence[int], room: int, least: int) -> int:
    """How many of the first pieces fit when each keeps at least ``least`` tokens, or all it has."""
    for count in range(len(costs), 0, -1):
        shares = share_out(costs[:count], room)
        if all(share >= min(cost, least) for cost, share in zip(costs, shares, strict=False)):
            return count
    return 0

"""Exchanges: groups of turns that keep every tool call together with its result."""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.types import Turn

Exchange = tuple[Turn, ...]


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Turns in the smallest stretches that hold every tool call together with its results."""
    groups: list[list[Turn]] = []
    called_in: dict[str, int] = {}
    for turn in turns:
        start = _home(turn, called_in, len(groups))
        if start < len(groups):
            # Everything said between a call and its late result stays between them.
            groups[start:] = [[earlier for group in groups[start:] for earlier in group]]
            groups[start].append(turn)
            called_in = {id_: min(place, start) for id_, place in called_in.items()}
        else:
            groups.append([turn])
        for call in turn.tool_calls:
            if call.id:
                called_in[call.id] = len(groups) - 1
    return [tuple(group) for group in groups]


def _home(turn: Turn, called_in: dict[str, int], count: int) -> int:
    """The number of the stretch this turn belongs to; ``count`` is a new one."""
    homes = [called_in[r.call_id] for r in turn.tool_results if r.call_id in called_in]
    if homes:
        return min(homes)
    if turn.role == "tool" and count:
        return count - 1  # A result without an id answers what came just before it.
    return count


def latest_rounds(groups: Sequence[Exchange], rounds: int) -> int:
    """Where the latest ``rounds`` rounds begin, each one opened by the user; with 0 all of them."""
    if rounds < 1:
        return 0
    opened = [place for place, group in enumerate(groups) if group[0].role == "user"]
    return opened[-rounds] if len(opened) > rounds else 0

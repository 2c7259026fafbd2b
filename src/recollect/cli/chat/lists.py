"""What was found, learnt, shown and left out, as lists on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.cli.chat.messages import ChatMessages
from recollect.cli.chat.terminal import Terminal
from recollect.types import Context, Forgotten, Hit, Memory

_MOST_LEFT_OUT = 20


def show_hits(terminal: Terminal, words: ChatMessages, hits: Iterable[Hit]) -> None:
    """Evidence, each piece with its date, speaker, place and the reasons it was found for."""
    terminal.listed((hit.text, (_about(hit), _reasons(words, hit))) for hit in hits)


def show_memories(terminal: Terminal, memories: Iterable[Memory]) -> None:
    terminal.listed((one.content, (_joined(one.kind, _day(one.valid_from)),)) for one in memories)


def show_account(terminal: Terminal, words: ChatMessages, context: Context) -> None:
    """Tokens of each part, and what had no room or no right to be there."""
    terminal.strong(words.account.format(tokens=context.tokens, budget=context.budget))
    for part in context.sections:
        terminal.say("  " + words.parts.format(name=part.name, tokens=part.tokens, size=part.size))
    if context.dropped:
        terminal.strong(words.left_out)
        some = context.dropped[:_MOST_LEFT_OUT]
        terminal.listed((left.text, (_joined(left.section, left.reason),)) for left in some)


def show_forgotten(terminal: Terminal, items: Sequence[Forgotten]) -> None:
    terminal.listed((item.text, (_joined(item.kind, item.reason),)) for item in items)


def _about(hit: Hit) -> str:
    speaker = hit.sender or hit.role or hit.trust or ""
    place = f"{hit.session} #{hit.index}" if hit.index is not None else hit.session
    source = place or ", ".join(f"{one.session} #{one.index}" for one in hit.sources[:2])
    return _joined(hit.kind or hit.type, _day(hit.valid_from or hit.at), speaker, source)


def _reasons(words: ChatMessages, hit: Hit) -> str:
    parts = " ".join(f"{name} {part:.2f}" for name, part in hit.why.parts.items() if part)
    found = f"{words.routes} {', '.join(hit.why.routes)}" if hit.why.routes else ""
    return _joined(f"{hit.score:.2f}", found, parts, " ".join(hit.why.terms))


def _day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))

"""Lists on the terminal: hits, memories, sections of a context, forgotten items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.cli.chat.messages import ChatMessages
from recollect.cli.chat.terminal import Terminal
from recollect.cli.chat.terms import Terms
from recollect.cli.output import joined, when
from recollect.types import Context, Forgotten, Hit, Memory

_MOST_LEFT_OUT = 20


def show_hits(terminal: Terminal, words: ChatMessages, hits: Iterable[Hit], terms: Terms) -> None:
    """Print hits with kind, date, speaker, source and reasons."""
    terminal.listed((hit.text, (_about(hit, terms), _reasons(words, hit, terms))) for hit in hits)


def show_memories(terminal: Terminal, memories: Iterable[Memory], terms: Terms) -> None:
    terminal.listed(
        (one.content, (joined(terms.kind(one.kind, one.metadata), when(one.valid_from)),))
        for one in memories
    )


def show_account(terminal: Terminal, words: ChatMessages, context: Context, terms: Terms) -> None:
    """Print the tokens of each section, and what was left out."""
    terminal.strong(words.account.format(tokens=context.tokens, budget=context.budget))
    for part in context.sections:
        name = terms.of(part.name)
        terminal.say("  " + words.parts.format(name=name, tokens=part.tokens, size=part.size))
    if context.dropped:
        terminal.strong(words.left_out)
        some = context.dropped[:_MOST_LEFT_OUT]
        terminal.listed(
            (omitted.text, (joined(terms.of(omitted.section), terms.of(omitted.reason)),))
            for omitted in some
        )


def show_forgotten(terminal: Terminal, items: Sequence[Forgotten], terms: Terms) -> None:
    terminal.listed(
        (item.text, (joined(terms.of(item.kind), terms.of(item.reason)),)) for item in items
    )


def _about(hit: Hit, terms: Terms) -> str:
    speaker = hit.sender or terms.of(hit.role or hit.trust or "")
    place = f"{hit.session} #{hit.index}" if hit.index is not None else hit.session
    source = place or ", ".join(f"{one.session} #{one.index}" for one in hit.sources[:2])
    kind = terms.of(hit.type) if hit.kind is None else terms.kind(hit.kind, hit.metadata)
    return joined(kind, when(hit.valid_from or hit.at), speaker, source)


def _reasons(words: ChatMessages, hit: Hit, terms: Terms) -> str:
    scores = [f"{terms.of(name)} {part:.2f}" for name, part in hit.why.parts.items() if part]
    parts = " ".join(scores)
    routes = ", ".join(map(terms.of, hit.why.routes))
    routes = f"{words.routes} {routes}" if routes else ""
    return joined(f"{hit.score:.2f}", routes, parts, " ".join(hit.why.terms))

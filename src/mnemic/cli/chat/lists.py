"""Lists on the terminal: hits, memories, sections of a context, forgotten items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mnemic.cli.chat.terminal import Terminal
from mnemic.cli.output import join_parts, when
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.settings.vocabulary import Words
from mnemic.types import Context, Forgotten, Hit, Memory

_MOST_LEFT_OUT = 20


def show_hits(terminal: Terminal, hits: Iterable[Hit], kinds: Words) -> None:
    """Print hits with kind, date, speaker, source and reasons."""
    terminal.show_list((hit.text, (_about(hit, kinds), _reasons(hit))) for hit in hits)


def show_memories(terminal: Terminal, memories: Iterable[Memory], kinds: Words) -> None:
    terminal.show_list(
        (
            one.text,
            (join_parts(term(kinds.said_of(one.kind, one.metadata)), when(one.valid_from)),),
        )
        for one in memories
    )


def show_account(terminal: Terminal, context: Context) -> None:
    """Print the tokens of each section, and what was left out."""
    terminal.strong(
        phrase("{tokens} of {budget} tokens", tokens=context.tokens, budget=context.budget)
    )
    for part in context.sections:
        name = term(part.name)
        use = phrase("{name}: {tokens} of {size}", name=name, tokens=part.tokens, size=part.size)
        terminal.say(f"  {use}")
    if context.dropped:
        terminal.strong(phrase("Left out:"))
        some = context.dropped[:_MOST_LEFT_OUT]
        terminal.show_list(
            (omitted.text, (join_parts(term(omitted.section), sentence(omitted.reason)),))
            for omitted in some
        )


def show_forgotten(terminal: Terminal, items: Sequence[Forgotten]) -> None:
    terminal.show_list(
        (item.text, (join_parts(term(item.kind), sentence(item.reason)),)) for item in items
    )


def _about(hit: Hit, kinds: Words) -> str:
    speaker = hit.sender or term(hit.role or hit.trust or "")
    place = f"{hit.session} #{hit.index}" if hit.index is not None else hit.session
    source = place or ", ".join(f"{one.session} #{one.index}" for one in hit.sources[:2])
    kind = term(hit.type if hit.kind is None else kinds.said_of(hit.kind, hit.metadata))
    return join_parts(kind, when(hit.valid_from or hit.at), speaker, source)


def _reasons(hit: Hit) -> str:
    scores = [f"{term(name)} {part:.2f}" for name, part in hit.why.parts.items() if part]
    parts = " ".join(scores)
    routes = ", ".join(map(term, hit.why.routes))
    routes = phrase("found by {routes}", routes=routes) if routes else ""
    return join_parts(f"{hit.score:.2f}", routes, parts, " ".join(hit.why.terms))

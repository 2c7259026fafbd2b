"""mnemic context"""

from __future__ import annotations

from typing import Any

from mnemic.cli.base import command
from mnemic.cli.output import answer, clean_lines, heading, say, table
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State
from mnemic.types import Context


@command("context")
def context(state: State, /, query: tuple[str, ...], **options: Any) -> None:
    """Show what an agent would see before it answers.

    QUERY is the message to be answered. The text comes first, then what each part of it cost and
    what was left out.
    """
    with state.open() as mind:
        built = mind.context(" ".join(query), **options)

    def show() -> None:
        say(clean_lines(built.text) or phrase("There is nothing relevant in memory."))
        show_account(built)

    answer(built, show)


def show_account(built: Context) -> None:
    """Print tokens by section, and what was left out."""
    cost = phrase("{n:,} of {budget:,} tokens", n=built.tokens, budget=built.budget)
    heading(cost)
    table(
        ("part", "tokens", "allotted", "records"),
        [
            (term(part.name), f"{part.tokens:,}", f"{part.size:,}", len(part.ids) or "")
            for part in built.sections
        ],
        right="tokens allotted records",
    )
    if built.dropped:
        heading(phrase("Left out"))
        table(
            ("part", "tokens", "why", "what"),
            [
                (term(one.section), f"{one.tokens:,}", sentence(one.reason), one.text)
                for one in built.dropped
            ],
            right="tokens",
        )

"""A memory with something in every part of an export."""

from __future__ import annotations

from collections.abc import Callable

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Candidate, NewTurn, ToolCall, ToolResult

Text = Callable[[str], str]


def fill(mind: Mind, clock: ManualClock, word: Text = lambda usual: usual, rounds: int = 1) -> None:
    """Turns, memories, versions, a pending one, files, a scratchpad and episodes; ``word`` is
    asked for every text that a host may give.
    """
    for number in range(rounds):
        session = f"talk-{number}"
        mind.session(session, project=word("billing"), topic=word("the move"))
        calls = (ToolCall(word("read_file"), {word("path"): word("/tmp/notes.txt")}, "c1"),)
        results = (ToolResult(word("what the tool answered"), "c1"),)
        turns = [
            NewTurn(session, "user", word("I live in Rotterdam"), sender=word("Mei")),
            NewTurn(session, "assistant", word("Noted"), tool_calls=calls),
            NewTurn(session, "tool", word("a result"), tool_results=results),
            NewTurn(session, "user", word("我升级到 Python 3.12 了"), channel=word("cli")),
        ]
        said = [mind.record_turn(turn) for turn in turns]
        first = mind.remember(
            word("Lives in Rotterdam"),
            kind="identity",
            subject=word("user"),
            predicate=word("lives in"),
            project=word("billing"),
            topic=word("homes"),
            tags=[word("home")],
            metadata={word("key"): word("value")},
            sources=[said[0].id],
        )
        clock.advance(days=20)
        if first.memory is not None and first.outcome in ("new", "update"):
            mind.edit(first.memory.id, text=word("Lives in Utrecht"))
        gone = mind.remember(word("Uses a pager"), kind="fact", sources=[said[3].id])
        if gone.memory is not None:
            mind.archive(gone.memory.id)
        mind.remember(word("Works with Python"), kind="skill", sources=[said[3].id])
        mind.propose(Candidate("preference", word("Likes jazz"), confidence=0.7))
        mind.attach(
            f"https://example.org/{number}.png",
            session=session,
            original_filename=word("cat.png"),
            mime=word("image/png"),
            description=word("A cat"),
            transcription=word("meow"),
            extracted_text=word("letters"),
            tags=[word("pets")],
        )
        mind.end_session(session)
    mind.drain()
    mind.write_scratchpad(f"## Current task\n{word('Write the page')}\n")

"""Words that stand nowhere else, put into every place that can hold text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect import Candidate, Mind, ToolCall, ToolResult
from recollect.clock import ManualClock
from recollect.index.segment import index_text

ENGLISH = "Zyxqwvian Trumbletons"
CHINESE = "龘鱻麤蘿"
PHRASES = (ENGLISH, CHINESE)


def plant(mind: Mind, clock: ManualClock, phrase: str, session: str) -> None:
    """Everywhere a person, a tool, a model or the engine itself may write it."""
    talk = mind.session(session, project="garden", topic="plans")
    first = talk.user(f"I live in a house called {phrase}, please remember that")
    call = ToolCall("write_note", {"text": f"about {phrase}", "list": [{"deep": phrase}]})
    talk.assistant(f"Noted: {phrase}", tool_calls=[call])
    mind.record(session=session, role="tool", content="",
                tool_results=[ToolResult(f"wrote\n{phrase}\nto the disk")])  # fmt: skip
    talk.user("Please water the tulips on Friday")
    talk.assistant("Yes, the tulips get their water on Friday")
    clock.advance(minutes=10)
    mind.remember(f"The house is called {phrase}", kind="fact", subject="house",
                  predicate="name", value=phrase, tags=[phrase], sources=[first.id])  # fmt: skip
    old = mind.remember("The garden is large", kind="fact")
    mind.remember(f"The garden of {phrase} is small", kind="fact", supersedes=old.id)
    mind.propose(Candidate("fact", f"perhaps {phrase} is for sale", confidence=0.7,
                           importance=0.5, sources=(first.id,)))  # fmt: skip
    mind.attach("/nowhere/plan.png", session=session, description=f"a plan of {phrase}",
                extracted_text=f"{phrase} and around", tags=["plan"])  # fmt: skip
    mind.write_scratchpad(f"## Current task\nsell {phrase}\n\n## Next steps\n- water tulips\n")
    mind.write_scratchpad("## Current task\nwater tulips\n")  # the old text is in its event
    told = mind.compressing(session)
    mind.compressed(told.id, f"They spoke about {phrase} and then about tulips.")
    mind.context(f"where is {phrase}?", session=session)
    mind.recall(phrase)
    mind.end_session(session)
    clock.advance(hours=1)
    mind.drain()
    mind.upkeep("daily")


def files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def leftovers(folder: Path, phrase: str) -> dict[str, list[str]]:
    """Where any form of any word of it still stands in any byte."""
    found: dict[str, list[str]] = {}
    for path in files(folder):
        data = path.read_bytes()
        for spelling in spellings(phrase):
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                if spelling.encode(encoding) in data:
                    found.setdefault(path.name, []).append(f"{spelling} ({encoding})")
    return found


def spellings(phrase: str) -> set[str]:
    """The words as written, folded and stemmed; and their middles, where pages share prefixes."""
    terms = [term for term in index_text(phrase).split() if len(term) > 1]
    middles = {term[3:8] for term in terms if term.isascii()}
    plain = {*phrase.split(), *phrase.lower().split(), *phrase.upper().split()}
    return {*plain, *terms, *middles, phrase.split(maxsplit=1)[0].swapcase()}

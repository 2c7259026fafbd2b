"""Words that stand nowhere else, put into every place that can hold text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mnemic import Candidate, Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.index.segment import index_text

ENGLISH = "Zyxqwvian Trumbletons"
CHINESE = "龘鱻麤蘿"
PHRASES = (ENGLISH, CHINESE)


def plant(mind: Mind, clock: ManualClock, phrase: str, session: str) -> None:
    """Everywhere a person, a tool, a model or the engine itself may write it."""
    talk = mind.session(session, project="garden", topic="plans")
    first = talk.user(f"I live in a house called {phrase}, please remember that")
    call = ToolCall("write_note", {"text": f"about {phrase}", "list": [{"deep": phrase}]})
    talk.assistant(f"Noted: {phrase}", tool_calls=[call])
    mind.record(session=session, role="tool", text="",
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
    told = mind.before_compression(session)
    mind.after_compression(told.id, f"They spoke about {phrase} and then about tulips.")
    mind.context(f"where is {phrase}?", session=session)
    mind.recall(phrase)
    mind.end_session(session)
    clock.advance(hours=1)
    mind.drain()
    mind.upkeep("daily")


def plant_everywhere(
    mind: Mind, clock: ManualClock, phrase: str, *, by_hand: bool, files: bool = True
) -> dict[str, str]:
    """In every field of every way to write; says what was called what.

    ``by_hand`` also in what belongs to no conversation, ``files`` also in attachments.
    """
    session, sender = f"talk {phrase}", f"Ms {phrase}"
    channel = f"net {phrase}"
    talk = mind.session(session, project=f"project {phrase}", topic=f"topic {phrase}")
    first = talk.user(f"Our house is called {phrase}", sender=sender, channel=channel)
    call = ToolCall(f"tool {phrase}", {f"key {phrase}": [{phrase: f"in {phrase}"}]}, f"c {phrase}")
    talk.assistant(f"I see, {phrase}", tool_calls=[call], sender=sender, channel=channel)
    talk.tool(
        tool_results=[ToolResult(f"the tool says {phrase}", f"c {phrase}", True)],
        sender=sender,
        channel=channel,
    )
    memory = mind.remember(
        f"The house is {phrase}", kind="fact", subject=f"house {phrase}", value=phrase,
        predicate=f"called {phrase}", project=f"project {phrase}", topic=f"topic {phrase}",
        tags=[f"tag {phrase}"], sources=[first.id], operation_id=f"op {phrase}",
    )  # fmt: skip
    mind.propose(Candidate("fact", f"perhaps {phrase} is sold", confidence=0.7, importance=0.5,
                           sources=(first.id,)))  # fmt: skip
    if files:
        file = mind.attach(f"/srv/{phrase}/{phrase}.png", session=session, mime=f"image/{phrase}",
                           tags=[phrase], memories=[memory.id])  # fmt: skip
        mind.describe_attachment(file.id, description=phrase, transcription=f"hear {phrase}",
                                 extracted_text=f"read {phrase}")  # fmt: skip
        mind.attach(f"https://{phrase}.example/a.png".replace(" ", "-"), session=session)
    told = mind.before_compression(session)
    mind.after_compression(told.id, f"They spoke about {phrase}.")
    mind.write_scratchpad(f"## Current task\nsell {phrase}\n\n## Next steps\n- water tulips\n")
    mind.note_failure(f"host {phrase}" if by_hand else "host", f"{phrase} went wrong")
    if by_hand:
        mind.onboarding(begin=True)
        mind.onboard(f"Call me {phrase}")
        mind.record_usage(
            purpose=f"for {phrase}", model=f"m {phrase}", input_tokens=1, output_tokens=1
        )
        mind.remember(f"Just {phrase}", kind="fact")
    mind.context(f"where is {phrase}?", session=session)
    talk.end()
    clock.advance(hours=1)
    mind.drain()
    mind.upkeep("daily")
    if mind.documents_folder is not None:
        mind.sync()
        page = mind.documents_folder / mind.settings.documents.memory_file
        page.write_text(
            f"{page.read_text()}\n- By hand: {phrase}\n" if by_hand else page.read_text()
        )
        mind.sync()
    return {"session": session, "source": f"sender:{sender}", "id": memory.id, "query": phrase}


def files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def leftovers(folder: Path, phrase: str) -> dict[str, list[str]]:
    """Where any form of any word of it still stands in any byte, or in the name of a file."""
    found: dict[str, list[str]] = {}
    for path in files(folder):
        data = path.read_bytes() + str(path.relative_to(folder)).encode()
        for spelling in spellings(phrase):
            escaped = json.dumps(spelling)[1:-1]
            if escaped != spelling and escaped.encode() in data:
                found.setdefault(path.name, []).append(f"{spelling} (escaped)")
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

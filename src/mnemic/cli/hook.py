"""mnemic hook"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mnemic.cli.base import Command
from mnemic.cli.failures import error_line
from mnemic.cli.output import emit, note, say
from mnemic.cli.state import State, pass_state
from mnemic.errors import MnemicError
from mnemic.mind import Mind

_TAIL = 4 << 20  # bytes of a transcript in which the last answer is looked for


@click.command(cls=Command)
@pass_state
def hook(state: State) -> None:
    """Serve a coding agent that runs commands at its events.

    The event comes as JSON on standard input, as Claude Code writes it. At UserPromptSubmit the
    prompt is recorded and what is known about it is printed, at Stop the answer is recorded, at
    SessionEnd the conversation ends. A failure is told on stderr and never stops the agent.
    """
    known = ""
    try:
        event = json.loads(sys.stdin.read())
        session = str(event["session_id"])
        with state.open(create=True) as mind:
            known = _serve(mind, event, session)
    except (MnemicError, OSError, ValueError, KeyError, TypeError) as error:
        said = error_line(error) if isinstance(error, MnemicError) else str(error)
        note(f"mnemic: {said}")
    if state.json:
        emit({"context": known})
    elif known:
        say(known)


def _serve(mind: Mind, event: Mapping[str, Any], session: str) -> str:
    match event.get("hook_event_name"):
        case "UserPromptSubmit":
            prompt = str(event["prompt"])
            known = mind.context(prompt, session=session, shown=[prompt]).text
            mind.record(session=session, role="user", content=prompt)
            return known
        case "Stop":
            answer = event.get("last_assistant_message") or _last_answer(event)
            if answer:
                mind.record(session=session, role="assistant", content=str(answer))
        case "SessionEnd":
            mind.end_session(session)
    return ""


def _last_answer(event: Mapping[str, Any]) -> str:
    """What the agent said last, by its own transcript."""
    path = event.get("transcript_path")
    if not path:
        return ""
    with Path(str(path)).expanduser().open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _TAIL))
        lines = file.read().decode(errors="replace").splitlines()
    for line in reversed(lines):
        texts = list(_spoken(line))
        if texts:
            return "\n".join(texts)
    return ""


def _spoken(line: str) -> Iterator[str]:
    try:
        entry = json.loads(line)
    except ValueError:
        return  # the first line may be half of one
    if isinstance(entry, dict) and entry.get("type") == "assistant":
        content = entry.get("message", {}).get("content", ())
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from (block["text"] for block in blocks if block.get("type") == "text")

"""mnemic sessions, end"""

from __future__ import annotations

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, note, say, table, when
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state


@click.command(cls=Command)
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip so many.")
@pass_state
def sessions(state: State, limit: int, offset: int) -> None:
    """List conversations, the latest first."""
    with state.open() as mind:
        listed = mind.sessions(limit=limit, offset=offset)
    if state.json:
        emit(listed)
        return
    if not listed:
        note(phrase("There are no conversations."))
    table(
        ("last turn", "turns", "session", "about"),
        [(when(s.last_at), s.turns, s.id, " · ".join(filter(None, (s.project, s.topic))))
         for s in listed],
        right="turns",
    )  # fmt: skip


@click.command(cls=Command)
@click.argument("session")
@pass_state
def end(state: State, session: str) -> None:
    """Mark a conversation as ended; its episode is written in the background.

    A worker then learns from its remaining turns, writes its episode, and archives what was
    only for it. A later turn opens it again.
    """
    with state.open() as mind:
        mind.end_session(session)
        due = [job for job in mind.jobs(state="ready") if job.payload.get("session") == session]
    if state.json:
        emit({"session": session, "jobs": due})
    else:
        wraps_up = any(job.kind == "session_end" for job in due)
        rest = (
            phrase("mnemic worker writes its episode.")
            if wraps_up
            else phrase("It is too short for an episode.")
        )
        say(phrase("{session} has ended. {rest}", session=session, rest=rest))

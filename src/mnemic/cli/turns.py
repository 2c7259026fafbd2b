"""mnemic turns"""

from __future__ import annotations

import json
from datetime import datetime

import click

from mnemic.cli.base import Command
from mnemic.cli.output import (
    bold,
    cells,
    cut,
    dim,
    emit,
    flat,
    indented,
    note,
    pad,
    say,
    terminal_width,
    when,
)
from mnemic.cli.params import metadata_of, moment
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State, pass_state
from mnemic.types import ROLES, TURN_STATES, Role, Turn, TurnState

_TROUBLED = ("failed", "dead")


@click.command(cls=Command)
@click.option("--session", "-s", metavar="ID", help="Only this conversation.")
@click.option("--project", metavar="NAME", help="Only this project.")
@click.option("--since", type=moment, help="Nothing older: a date, or an age such as 7d.")
@click.option("--until", type=moment, help="Only from before this moment.")
@click.option("--role", type=click.Choice(ROLES), help="Only what this one said.")
@click.option("--tool", metavar="NAME", help="Only turns that called this tool.")
@click.option("--state", "turn_state", type=click.Choice(TURN_STATES), help="How far it came.")
@click.option("--metadata", multiple=True, metavar="KEY=VALUE", help="Only with this metadata.")
@click.option("--newest", is_flag=True, help="The newest first.")
@click.option("--full", is_flag=True, help="Whole texts, with tool calls and results.")
@click.option("--limit", "-n", default=100, show_default=True, metavar="N")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip so many.")
@pass_state
def turns(
    state: State,
    *,
    session: str | None,
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    role: Role | None,
    tool: str | None,
    turn_state: TurnState | None,
    metadata: tuple[str, ...],
    newest: bool,
    full: bool,
    limit: int,
    offset: int,
) -> None:
    """Read turns by session, time, role, tool or state."""
    with state.open() as mind:
        listed = mind.turns(
            session=session,
            project=project,
            since=since,
            until=until,
            role=role,
            tool=tool,
            state=turn_state,
            metadata=metadata_of(metadata) or None,
            newest_first=newest,
            limit=limit,
            offset=offset,
        )
    if state.json:
        emit(listed)
        return
    if not listed:
        note(phrase("There are no such turns."))
    show_turns(listed, full=full)


def show_turns(turns: list[Turn], *, full: bool = False, margin: int = 0) -> None:
    """Print turns under their session and day."""
    names = max((cells(_speaker(turn)) for turn in turns), default=0)
    digits = max((len(str(turn.index)) for turn in turns), default=0)
    heading = ""
    for turn in turns:
        day, _, hour = when(turn.at).partition(" ")
        above = f"{flat(turn.session)} · {day}"
        if above != heading:
            heading = above
            say(bold(indented(above, margin)))
        number = f"{turn.index:>{margin + digits + 2}}"
        lead = f"{number}  {hour}  {pad(_speaker(turn), names)}  "
        if full:
            say(dim(lead.rstrip()))
            _show_whole(turn, margin + digits + 4)
        else:
            say(dim(lead) + _summary(turn, cells(lead)))
            if turn.reason or turn.state in _TROUBLED:
                say(dim(indented(_outcome(turn), cells(lead))))


def _speaker(turn: Turn) -> str:
    return cut(flat(turn.sender or term(turn.role)), 20)


def _summary(turn: Turn, lead: int) -> str:
    """The text in one line; the names of tools are never cut."""
    tools = flat("".join(f" [{call.name}]" for call in turn.tool_calls))
    text = turn.content or " ".join(result.content for result in turn.tool_results)
    width = terminal_width()
    space = width and max(10, width - lead)
    text_space = space and max(10, space - cells(tools) - 1)
    return cut(f"{cut(flat(text), text_space)} {tools}".strip(), space)


def _show_whole(turn: Turn, by: int) -> None:
    blocks: list[str] = [turn.content]
    blocks += [
        f"→ {call.name} {json.dumps(call.input, ensure_ascii=False)}" for call in turn.tool_calls
    ]
    blocks += [f"← {result.content}" for result in turn.tool_results]
    for line in "\n".join(filter(None, blocks)).splitlines():
        say(" " * by + flat(line))
    if turn.reason or turn.state in _TROUBLED:
        say(" " * by + dim(flat(_outcome(turn))))


def _outcome(turn: Turn) -> str:
    """The state of a turn with its reason, and the remedy."""
    remedy = {"failed": "it is tried again", "dead": "see mnemic jobs --state dead"}
    outcome = phrase("{name}: {value}", name=term(turn.state), value=sentence(turn.reason))
    return "; ".join(filter(None, (outcome, phrase(remedy.get(turn.state, "")))))

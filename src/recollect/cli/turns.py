"""recollect turns"""

from __future__ import annotations

from datetime import datetime

import click

from recollect.cli.base import Command
from recollect.cli.output import bold, cells, cut, dim, emit, flat, note, pad, room, say, when
from recollect.cli.params import moment
from recollect.cli.state import State, pass_state
from recollect.types import ROLES, TURN_STATES, Role, Turn, TurnState


@click.command(cls=Command)
@click.option("--session", "-s", metavar="ID", help="Only this conversation.")
@click.option("--project", metavar="NAME", help="Only this project.")
@click.option("--since", type=moment, help="Nothing older: a date, or an age such as 7d.")
@click.option("--until", type=moment, help="Only from before this moment.")
@click.option("--role", type=click.Choice(ROLES), help="Only what this one said.")
@click.option("--tool", metavar="NAME", help="Only turns that called this tool.")
@click.option("--state", "turn_state", type=click.Choice(TURN_STATES), help="How far it came.")
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
    newest: bool,
    full: bool,
    limit: int,
    offset: int,
) -> None:
    """Read turns by session, time, role, tool or state."""
    with state.open() as mind:
        found = mind.turns(
            session=session,
            project=project,
            since=since,
            until=until,
            role=role,
            tool=tool,
            state=turn_state,
            newest_first=newest,
            limit=limit,
            offset=offset,
        )
    if state.json:
        emit(found)
        return
    if not found:
        note("There are no such turns.")
    show_turns(found, full=full)


def show_turns(found: list[Turn], *, full: bool = False, margin: int = 0) -> None:
    """Turns under the name of their session."""
    wide = max((cells(_speaker(turn)) for turn in found), default=0)
    edge = " " * margin
    shown = ""
    for turn in found:
        if turn.session != shown:
            say(edge + bold(cut(flat(turn.session), room())))
            shown = turn.session
        lead = f"{edge}{turn.index:>5}  {when(turn.at)}  {pad(_speaker(turn), min(wide, 20))}  "
        if full:
            _show_whole(turn, lead)
        else:
            width = room()
            left = width and max(10, width - cells(lead))
            say(dim(lead) + cut(flat(_summary(turn)), left))


def _speaker(turn: Turn) -> str:
    return cut(flat(turn.sender or turn.role), 20)


def _summary(turn: Turn) -> str:
    tools = "".join(f" [{call.name}]" for call in turn.tool_calls)
    said = turn.content or " ".join(result.content for result in turn.tool_results)
    return f"{said}{tools}".strip()


def _show_whole(turn: Turn, lead: str) -> None:
    import json

    say(dim(lead.rstrip()))
    blocks = [turn.content]
    blocks += [
        f"→ {call.name} {json.dumps(call.input, ensure_ascii=False)}" for call in turn.tool_calls
    ]
    blocks += [f"← {result.content}" for result in turn.tool_results]
    for line in "\n".join(filter(None, blocks)).splitlines():
        say(f"       {flat(line)}")
    if turn.reason:
        say(dim(f"       {turn.state}: {flat(turn.reason)}"))

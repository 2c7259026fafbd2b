"""mnemic episodes"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Unpack

import click

from mnemic.cli.base import Command
from mnemic.cli.output import ListEntry, emit, entries, joined, note, when
from mnemic.cli.params import moment
from mnemic.cli.phrases import counted, phrase, term
from mnemic.cli.state import State, pass_state
from mnemic.types import OUTCOMES, ActionNode, Episode, EpisodeQuery, Outcome

_COLOURS: dict[Outcome, str] = {
    "success": "green",
    "partial": "yellow",
    "failed": "red",
    "ongoing": "blue",
}


@click.command(cls=Command)
@click.option("--session", "-s", metavar="ID", help="Only of this conversation.")
@click.option("--entity", metavar="NAME", help="Only about this person, project or path.")
@click.option("--tool", metavar="NAME", help="Only where this tool was used.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="Only those that ended like this.")
@click.option("--since", type=moment, help="Nothing older: a date, or an age such as 7d.")
@click.option("--until", type=moment, help="Only from before this moment.")
@click.option("--full", is_flag=True, help="Also what was done, one tool call a line.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def episodes(state: State, *, full: bool, **query: Unpack[EpisodeQuery]) -> None:
    """List the episodes of conversations, the latest first."""
    with state.open() as mind:
        listed = mind.episodes(**query)
    if state.json:
        emit(listed)
        return
    if not listed:
        note(
            phrase("There are no episodes. One is written when a session ends: mnemic end SESSION")
        )
    show_episodes(listed, full=full)


def show_episodes(episodes: Iterable[Episode], *, full: bool = False, margin: int = 0) -> None:
    """Print episodes with outcome, time and number of memories."""
    entries((_entry(episode, full=full) for episode in episodes), margin=margin)


def _entry(episode: Episode, *, full: bool) -> ListEntry:
    about = joined(
        episode.id,
        when(episode.started_at),
        episode.session,
        ", ".join(episode.tools),
        counted(len(episode.memories), "memory", "memories") if episode.memories else "",
    )
    goal = episode.goal if episode.goal != episode.summary else ""
    done = map(_action, episode.actions) if full else ()
    return ListEntry(
        term(episode.outcome),
        episode.summary,
        (phrase("goal: {goal}", goal=goal) if goal else "", about, *done),
        _COLOURS[episode.outcome],
    )


def _action(action: ActionNode) -> str:
    params = json.dumps(dict(action.params), ensure_ascii=False)
    answer = action.result if action.success else phrase("failed: {error}", error=action.error)
    return f"→ {action.tool} {params} ← {answer}"

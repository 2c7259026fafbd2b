"""mnemic record, attach, attachments, sessions, end, turns, episodes"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from mnemic.cli.output import (
    ListEntry,
    answer,
    bold,
    cells,
    cut,
    dim,
    entries,
    flat,
    indent_line,
    join_parts,
    pad,
    say,
    size,
    table,
    terminal_width,
    when,
)
from mnemic.cli.params import metadata_of, text_or_stdin
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.state import State
from mnemic.errors import InvalidInput, NotFound
from mnemic.types import ActionNode, Attachment, Direction, Episode, EpisodeQuery, Outcome, Turn

_TROUBLED = ("failed", "dead")
_OUTCOME_COLORS: dict[Outcome, str] = {
    "success": "green",
    "partial": "yellow",
    "failed": "red",
    "ongoing": "blue",
}


def sessions(state: State, limit: int, offset: int) -> None:
    with state.open() as mind:
        listed = mind.sessions(limit=limit, offset=offset)
    rows = [(when(s.last_at), s.turns, s.id, join_parts(s.project, s.topic)) for s in listed]
    head = ("last turn", "turns", "session", "about")
    answer(listed, lambda: table(head, rows, right="turns"), nothing="There are no conversations.")


def end(state: State, session: str) -> None:
    with state.open() as mind:
        mind.end_session(session)
        due = [job for job in mind.jobs(state="ready") if job.payload.get("session") == session]
    wraps_up = any(job.kind == "session_end" for job in due)
    rest = "mnemic worker writes its episode." if wraps_up else "It is too short for an episode."
    ended = phrase("{session} has ended. {rest}", session=session, rest=phrase(rest))
    answer({"session": session, "jobs": due}, lambda: say(ended))


def turns(state: State, /, metadata: tuple[str, ...], full: bool, **where: Any) -> None:
    with state.open() as mind:
        listed = mind.turns(metadata=metadata_of(metadata) or None, **where)
    answer(listed, lambda: show_turns(listed, full=full), nothing="There are no such turns.")


def show_turns(turns: list[Turn], *, full: bool = False) -> None:
    """Print turns under their session and day."""
    names = max((cells(_speaker(turn)) for turn in turns), default=0)
    digits = max((len(str(turn.index)) for turn in turns), default=0)
    heading = ""
    for turn in turns:
        day, _, hour = when(turn.at).partition(" ")
        above = f"{flat(turn.session)} · {day}"
        if above != heading:
            heading = above
            say(bold(indent_line(above, 0)))
        number = f"{turn.index:>{digits + 2}}"
        lead = f"{number}  {hour}  {pad(_speaker(turn), names)}  "
        if full:
            say(dim(lead.rstrip()))
            _show_whole(turn, digits + 4)
        else:
            say(dim(lead) + _summary(turn, cells(lead)))
            if turn.reason or turn.state in _TROUBLED:
                say(dim(indent_line(_outcome(turn), cells(lead))))


def _speaker(turn: Turn) -> str:
    return cut(flat(turn.sender or term(turn.role)), 20)


def _summary(turn: Turn, lead: int) -> str:
    """The text in one line; the names of tools are never cut."""
    tools = flat("".join(f" [{call.name}]" for call in turn.tool_calls))
    text = turn.text or " ".join(result.content for result in turn.tool_results)
    width = terminal_width()
    space = width and max(10, width - lead)
    text_space = space and max(10, space - cells(tools) - 1)
    return cut(f"{cut(flat(text), text_space)} {tools}".strip(), space)


def _show_whole(turn: Turn, by: int) -> None:
    blocks: list[str] = [turn.text]
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


def episodes(state: State, *, full: bool, **query: Unpack[EpisodeQuery]) -> None:
    with state.open() as mind:
        listed = mind.episodes(**query)
    nothing = "There are no episodes. One is written when a session ends: mnemic end SESSION"
    answer(listed, lambda: show_episodes(listed, full=full), nothing=nothing)


def show_episodes(episodes: Iterable[Episode], *, full: bool = False) -> None:
    """Print episodes with outcome, time and number of memories."""
    entries(_episode_entry(episode, full=full) for episode in episodes)


def _episode_entry(episode: Episode, *, full: bool) -> ListEntry:
    about = join_parts(
        episode.id,
        when(episode.started_at),
        episode.session,
        ", ".join(episode.tools),
        count_things(len(episode.memories), "memory") if episode.memories else "",
    )
    goal = episode.goal if episode.goal != episode.summary else ""
    done = map(_action, episode.actions) if full else ()
    return ListEntry(
        term(episode.outcome),
        episode.summary,
        (phrase("goal: {goal}", goal=goal) if goal else "", about, *done),
        _OUTCOME_COLORS[episode.outcome],
    )


def _action(action: ActionNode) -> str:
    params = json.dumps(dict(action.params), ensure_ascii=False)
    answer = action.result if action.success else phrase("failed: {error}", error=action.error)
    return f"→ {action.tool} {params} ← {answer}"


def record(
    state: State, /, text: str | None, project: str | None, metadata: tuple[str, ...], **turn: Any
) -> None:
    from mnemic.moving.chats import read_tools

    tool_calls, tool_results = read_tools(turn.pop("calls"), turn.pop("results"))
    wordless = text is None and (tool_calls or tool_results) and sys.stdin.isatty()
    content = "" if wordless else text_or_stdin(text, "the text of the turn")
    if not (content.strip() or tool_calls or tool_results):
        raise InvalidInput("There is nothing to record", remedy="Give the text, or a tool call")
    with state.open(create=True) as mind:
        recorded = mind.record(
            text=content,
            tool_calls=tool_calls,
            tool_results=tool_results,
            metadata=metadata_of(metadata),
            **turn,
        )
        if project:
            mind.session(recorded.session, project=project)
    answer(recorded, lambda: say(f"{recorded.session} #{recorded.index}  {dim(recorded.id)}"))


def attach(state: State, /, path: str, **about: Any) -> None:
    place: str | Path = path
    if "://" not in path:
        place = Path(path).expanduser().absolute()  # which holds from any folder
        if not place.exists():
            raise NotFound(f"There is no file {place}", remedy="Give the path of a file, or a URL")
    with state.open(create=True) as mind:
        attachment = mind.attach(place, **about)
    answer(attachment, lambda: say(f"{attachment.filename}  {dim(attachment.id)}"))


def attachments(state: State, session: str | None, direction: Direction | None, limit: int) -> None:
    with state.open() as mind:
        files = mind.attachments(session=session, direction=direction, limit=limit)
    answer(files, lambda: show_attachments(files), nothing="There are no attachments.")


def show_attachments(files: list[Attachment]) -> None:
    """Print files, each with an arrow for its direction."""
    entries(map(_entry, files))


def _entry(file: Attachment) -> ListEntry:
    about = file.description or file.transcription or file.extracted_text
    bytes_, place = size(file.size) if file.size else "", file.path or file.url
    below = join_parts(when(file.created_at), file.mime, bytes_, file.session, place)
    arrow = "→" if file.direction == "outbound" else "←"
    return ListEntry(arrow, f"{file.filename}  {about}".rstrip(), (below,))

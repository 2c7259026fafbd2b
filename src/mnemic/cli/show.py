"""mnemic show, history"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

from mnemic.cli.conversations import show_turns
from mnemic.cli.memories import color_of, describe_memory
from mnemic.cli.output import (
    ListEntry,
    answer,
    dim,
    emit,
    entries,
    facts,
    heading,
    indent_line,
    join_parts,
    say,
    when,
)
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.types import Event, History, Json, Memory, Source, Turn

_PAGE = 1_000  # turns


@cache
def sentences() -> dict[str, str]:
    """What the history of a memory says of each type of event."""
    text = Path(__file__).with_name("sentences.tsv").read_text(encoding="utf-8")
    return dict(line.split("\t") for line in text.splitlines())


def show(state: State, memory: str) -> None:
    with state.open() as mind:
        memory = whole_id(mind, memory)
        version = mind.get(memory)
        chain = mind.history(memory)
        turns = turns_of(mind, version.sources)
    if state.json:
        shown = describe_memory(mind, version)
        emit({"memory": shown, "sources": turns, "versions": chain.versions})
        return
    show_memory(version, mind)
    if turns:
        heading(phrase("Where it was said"))
        show_turns(turns, full=True)
    if len(chain.versions) > 1:
        heading(phrase("Versions"))
        show_versions(chain.versions)


def turns_of(mind: Mind, sources: Sequence[Source]) -> list[Turn]:
    """The source turns of a memory, in order."""
    turns: list[Turn] = []
    for session in dict.fromkeys(source.session for source in sources):
        ids = {source.turn_id for source in sources if source.session == session}
        offset = 0
        while ids and (page := mind.turns(session=session, limit=_PAGE, offset=offset)):
            turns += [turn for turn in page if turn.id in ids]
            ids -= {turn.id for turn in page}
            offset += _PAGE
    return sorted(turns, key=lambda turn: (turn.at, turn.id))


def show_memory(memory: Memory, mind: Mind) -> None:
    """Print all fields of one version, in the words of the preset's document."""
    words = mind.words(memory)
    kind = words.pop(mind.settings.vocabulary.kinds.name)
    entries([ListEntry(term(kind), memory.text, color=color_of(memory))])
    about = join_parts(memory.subject, memory.predicate)
    used, times = memory.access_count, memory.confirmations
    confirmed = phrase(", said again or confirmed {n:,} ×", n=times) if times else ""
    partition = (name for name in (memory.project, memory.topic) if not name.startswith("_"))
    facts(
        (
            ("id", memory.id),
            *words.items(),
            ("origin", "" if "source" in words else term(memory.origin)),
            ("tier", phrase("1, in every prompt") if memory.tier == 1 else ""),
            ("status", _status(memory)),
            ("about", f"{about} = {memory.value}" if about and memory.value else about),
            ("said by", term(memory.trust)),
            ("confidence", f"{memory.confidence:.2f}{confirmed}"),
            ("importance", f"{memory.importance:.2f}"),
            ("true", _span(when(memory.valid_from), when(memory.valid_to))),
            ("known since", when(memory.created_at)),
            ("expires", when(memory.expires_at)),
            ("ends with", memory.session and phrase("session {id}", id=memory.session)),
            ("offered", memory.offered or ""),
            ("put off to", when(memory.snoozed_until)),
            ("used", phrase("{n:,} times", n=used) if used else ""),
            ("project", join_parts(*partition)),
            ("tags", " ".join(f"#{tag}" for tag in memory.tags)),
            ("metadata", join_parts(*(f"{key}={value}" for key, value in memory.metadata.items()))),
            ("episode", memory.episode),
        )
    )


def _status(memory: Memory) -> str:
    if memory.superseded_by:
        return phrase(
            "{status} by {id} on {time}",
            status=term(memory.status),
            id=memory.superseded_by,
            time=when(memory.superseded_at),
        )
    return term(memory.status)


def _span(first: str, last: str) -> str:
    return phrase("{first} to {last}", first=first, last=last or phrase("now"))


def history(state: State, memory: str) -> None:
    with state.open() as mind:
        chain = mind.history(whole_id(mind, memory))
    answer(chain, lambda: show_history(chain), rows=chain.versions)


def show_history(history: History) -> None:
    """Print versions with the days each held, then their events."""
    show_versions(history.versions)
    names = _names(history.versions)
    indent = max(map(len, names.values()), default=0) + 2
    for event in history.events:
        subject = names.get(event.subject) or phrase("it")
        say(dim(indent_line(f"{when(event.at)}  {subject} {_describe(event, names)}", indent)))


def show_versions(versions: Sequence[Memory]) -> None:
    """Print each version, and the days it held."""
    names = _names(versions)
    entries(
        ListEntry(
            names[version.id],
            version.text,
            (join_parts(version.id, term(version.status), _describe_span(version)),),
            color_of(version),
        )
        for version in versions
    )


def _names(versions: Sequence[Memory]) -> dict[str, str]:
    return {version.id: f"v{number}" for number, version in enumerate(versions, 1)}


def _describe_span(version: Memory) -> str:
    """The days it held; a pending or rejected one never did."""
    since = when(version.created_at)[:10]
    if version.status in ("pending", "rejected"):
        return since
    ended = None if version.status == "active" else version.superseded_at or version.updated_at
    return _span(since, when(ended)[:10])


def _describe(event: Event, names: Mapping[str, str]) -> str:
    """The event as a sentence; ``names`` are the labels of the versions."""
    payload = event.payload
    if event.type == "reject":
        user = payload.get("by") == "user"
        if user:
            return phrase("was not kept: the user did not want it")
        other = _version_name(payload.get("by"), names)
        return phrase("was not kept: {other} is stronger", other=other)
    before = _version_name(payload.get("supersedes"), names)
    words = {
        **payload,
        "by": _version_name(payload.get("by"), names),
        "into": _version_name(payload.get("into"), names),
        "after": phrase(", after {before}", before=before) if before else "",
        "because": _because(payload),
        "until": _moment(payload.get("until")),
    }
    words |= {name: term(str(words.get(name, ""))) for name in ("kind", "from", "to")}
    template = phrase(sentences().get(event.type, event.type))
    return template.format_map(defaultdict(str, words))


def _version_name(id_: Json, names: Mapping[str, str]) -> str:
    return names.get(str(id_), str(id_)) if id_ else ""


def _because(payload: Mapping[str, Json]) -> str:
    settled = payload.get("settled")
    decided = settled.get("reason") if isinstance(settled, dict) else ""
    reason = payload.get("reason") or decided
    return phrase(": {reason}", reason=sentence(str(reason))) if reason else ""


def _moment(text: Json) -> str:
    return when(datetime.fromisoformat(text)) if isinstance(text, str) else ""

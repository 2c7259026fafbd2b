"""Zep and its graph, Graphiti: facts with the time they held, summaries, and what was said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from mnemic.moving.json_records import read_records, sample
from mnemic.moving.memory_fields import (
    check_text,
    read_moment,
    read_statement,
    short_name,
    short_names,
    small_metadata,
)
from mnemic.moving.pieces import Piece, Record, make_pieces
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.record.messages import ROLE_NAMES, UnreadableMessage, read_object, read_text
from mnemic.types import NewMemory, NewTurn

_LISTS = ("edges", "facts", "relevant_facts", "nodes", "episodes", "messages", "items")
_FORMATS = ("graphiti", "zep")
_EDGE = {"source_node_uuid", "valid_at", "invalid_at", "expired_at", "rating"}
_ZEP = {"role_type", "thread_uuid", "graph_uuid"}
_KEPT = ("group_id", "graph_uuid", "rating")
_THREAD = re.compile(rb'"(?:thread_id|session_id)"\s*:\s*"([^"\\]{1,200})"')
# "Alice (user): Hello" begins what Alice says.
_SPEAKER = re.compile(r"^(?P<name>[^\s:][^:\n()]{0,60}?)(?: \((?P<role>\w+)\))?: ", re.MULTILINE)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_Speech = tuple[str, datetime, str, NewTurn]  # session and time, then the place and the turn


class GraphitiReader:
    """Reads what these programs give as JSON, in one file or several."""

    formats = _FORMATS

    def recognizes(self, source: ImportSource) -> str:
        for name in _files(source):
            kind = next(filter(None, map(_format_of, sample(source.head_of(name), _LISTS))), "")
            if kind:
                return kind
        return ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        match = _THREAD.search(source.head)
        graph = _Graph(match[1].decode(errors="replace") if match else source.session)

        def read_file(name: str, stream: BinaryIO) -> Iterator[Piece]:
            for record in read_records(stream, _LISTS):
                yield from make_pieces(record, partial(graph.read, name))

        yield from read_members(source, _files(source), read_file)
        for fact in graph.facts:  # now the names of all nodes are known
            yield from make_pieces(fact, graph.read_fact)
        yield from _in_order(graph.speeches, format)


def _format_of(fields: Mapping[str, Any]) -> str:
    if isinstance(fields.get("fact"), str) and not fields.keys().isdisjoint(_EDGE):
        in_graphiti = "source_node_uuid" in fields and "graph_uuid" not in fields
        return "graphiti" if in_graphiti else "zep"
    if "uuid" not in fields:
        return ""
    if "content" in fields and not fields.keys().isdisjoint(_ZEP):
        return "zep"
    if {"source_description", "content"} <= fields.keys():
        return "graphiti"
    if "summary" in fields and "name" in fields and "chat_messages" not in fields:
        return "graphiti" if not fields.keys().isdisjoint({"labels", "group_id"}) else ""
    return ""


def _files(source: ImportSource) -> list[str]:
    """Those that are named as what they hold."""
    return [
        name
        for name in source.files(".json", ".jsonl")
        if not name or any(word in PurePosixPath(name).stem.casefold() for word in _LISTS)
    ]


@dataclass(frozen=True, slots=True)
class _Graph:
    """What is known of a graph by the time; ``names`` are those of its nodes."""

    thread: str
    names: dict[str, str] = field(default_factory=dict)
    facts: list[Record] = field(default_factory=list)
    speeches: list[_Speech] = field(default_factory=list)

    def read(self, file: str, record: Record) -> Iterator[Piece]:
        fields = read_object(record.value, "a record")
        place = f"{file}, {record.place}" if file else record.place
        if "fact" in fields:
            self.facts.append(replace(record, place=place))
        elif "content" in fields:
            self.speeches.extend(_message(place, fields, self.thread))
        elif "summary" in fields or "labels" in fields:
            key, memory = read_text(fields, "uuid"), _summary(fields)
            self.names[key] = read_text(fields, "name")
            if memory is not None:
                yield Piece(record.place, memory, key=key)
        else:
            raise UnreadableMessage("it is neither a fact, a node nor an episode")

    def read_fact(self, record: Record) -> Iterator[Piece]:
        memory = _fact(record.value, self.names)
        yield Piece(record.place, memory, key=read_text(record.value, "uuid"))


def _fact(fields: Mapping[str, Any], names: Mapping[str, str]) -> NewMemory:
    since = read_moment(fields, "valid_at")
    until = read_moment(fields, "invalid_at", "expired_at")
    ends = [
        short_name(
            fields.get(f"{end}_node_name") or names.get(read_text(fields, f"{end}_node_uuid"))
        )
        for end in ("source", "target")
    ]
    is_triple = all(ends) and bool(fields.get("name"))
    return NewMemory(
        read_statement(fields, "fact"),
        "fact",
        subject=ends[0] if is_triple else "",
        predicate=short_name(fields.get("name")).replace("_", " ").lower() if is_triple else "",
        value=ends[1] if is_triple else "",
        metadata=small_metadata({name: fields.get(name) for name in _KEPT}),
        trust="agent",
        valid_from=since if since is None or until is None or since <= until else None,
        valid_to=until,
        learned_at=read_moment(fields, "created_at"),
    )


def _summary(fields: Mapping[str, Any]) -> NewMemory | None:
    name, summary = read_statement(fields, "name"), read_text(fields, "summary").strip()
    if not summary:
        return None
    return NewMemory(
        check_text(summary if name in summary else f"{name}: {summary}"),
        "fact",
        subject=short_name(name),
        tags=short_names(fields.get("labels")),
        metadata=small_metadata({"group_id": fields.get("group_id")}),
        trust="agent",
        learned_at=read_moment(fields, "created_at"),
    )


def _message(place: str, fields: Mapping[str, Any], thread: str) -> Iterator[_Speech]:
    """A message of a thread, or an episode, whose text is lines as "user: Hello", or any text."""
    content = check_text(read_text(fields, "content"))
    session = read_text(fields, "thread_id", "thread_uuid", "session_id", "group_id") or thread
    at = read_moment(fields, "valid_at", "reference_time", "created_at")
    turns: list[NewTurn] = []
    kind = read_text(fields, "source")
    if fields.get("role_type") or fields.get("role"):
        role = read_text(fields, "role_type", "role")
        name = short_name(next(filter(None, map(fields.get, ("name", "role_name", "role"))), ""))
        turns.append(_turn(session, role, "" if name in ROLE_NAMES else name, content, at))
    elif kind == "message":
        turns += (_turn(session, *line, at) for line in _lines(content))
    elif kind != "fact_triple":  # a triple is among the facts
        turns.append(NewTurn(session, "tool", content, at=at))
    return ((session, at or _LONG_AGO, place, turn) for turn in turns)


def _turn(session: str, role: str, name: str, content: str, at: datetime | None) -> NewTurn:
    return NewTurn(session, ROLE_NAMES.get(role.casefold(), "user"), content, sender=name, at=at)


def _lines(content: str) -> Iterator[tuple[str, str, str]]:
    """Role, name and words of each speaker in turn."""
    starts = list(_SPEAKER.finditer(content))
    if not starts or content[: starts[0].start()].strip():
        yield "user", "", content
        return
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(content)
        name, role = start["name"], start["role"] or start["name"]
        words = content[start.end() : end].strip()
        if words:
            yield role, "" if name.casefold() in ROLE_NAMES else short_name(name), words


def _in_order(speeches: list[_Speech], format: str) -> Iterator[Piece]:
    """By time, since the order in which a graph gives its episodes is its own."""
    places: Counter[str] = Counter()
    for session, _, place, turn in sorted(speeches, key=itemgetter(0, 1)):
        if not turn.text.strip():
            continue
        if not session:
            yield Piece(place, None, "it names no session")
            continue
        yield Piece(place, replace(turn, channel=format, index=places[session]))
        places[session] += 1


READER = GraphitiReader()

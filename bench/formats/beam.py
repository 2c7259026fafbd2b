"""BEAM (``chats/100K``, mohammadtavakoli78/BEAM): long chats with an assistant, ten abilities.

A folder of chats, each with ``chat.json`` (``[{"batch_number", "turns": [[{"role", "id",
"content", "time_anchor"}]]}]``, of 10M tokens ``[{"plan-1": [batches]}]``) and
``probing_questions/probing_questions.json`` (``{ability: [{"question", "source_chat_ids",
"rubric", …}]}``). Where a ``chat_trunecated.json`` stands beside a chat, the publisher's own
evaluation takes that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench.formats.base import Bank, Item, Question, Record, each, moment, text_of
from mnemic.errors import InvalidInput

CHATS = ("chat_trunecated.json", "chat.json")
_PROBES = "probing_questions/probing_questions.json"
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_MARK = re.compile(r"\s*->->.*\Z", re.DOTALL)  # the plan's number of a user message
_ABSTENTION = "abstention"


class Beam:
    name = "beam"
    record = "a folder with chat.json and probing_questions/probing_questions.json"

    def fits(self, record: Record) -> bool:
        return "chat" in record and "probing_questions" in record

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank:
        read = _MessageReader()
        items: list[Item] = []
        for session, batch in _batches(record["chat"]):
            messages = [message for turn in batch["turns"] for message in turn]
            items += each(f"batch {session}, message", messages, partial(read, session=session))
        ids = {item.id for item in items}
        questions = [
            made
            for ability, asked in record["probing_questions"].items()
            for made in each(ability, asked, partial(_question, ability=ability, ids=ids))
        ]
        return Bank("-".join(path), tuple(items), tuple(questions), self.name)


class _MessageReader:
    """Reads messages in their order: a time anchor holds until the next one."""

    def __init__(self) -> None:
        self._at = ""

    def __call__(self, _: int, message: Record, session: str) -> Item:
        if anchor := message.get("time_anchor"):
            self._at = moment(anchor, "%B-%d-%Y")
        text = _MARK.sub("", text_of(message["content"]))
        return Item(str(message["id"]), text, self._at, text_of(message["role"]), session)


def beam_folders(place: Path) -> list[Path]:
    """The folders at or below a place that hold chats, in the order of their numbers."""
    if _is_chat(place):
        return [place]
    inside = sorted(one for one in place.iterdir() if one.is_dir())
    if any(map(_is_chat, inside)):
        return [place]
    return [one for one in inside if any(_is_chat(deeper) for deeper in one.iterdir())]


def beam_records(folder: Path) -> Iterator[tuple[tuple[str, ...], str, Record]]:
    """Every chat of a folder: its path, its place for people, and its record.

    A file of it that is not JSON raises InvalidInput.
    """
    chats = [folder] if _is_chat(folder) else [one for one in folder.iterdir() if _is_chat(one)]
    for one in sorted(chats, key=lambda chat: (len(chat.name), chat.name)):
        chat = next(one / name for name in CHATS if (one / name).is_file())
        record = {"chat": _json(chat), "probing_questions": _json(one / _PROBES)}
        yield (one.parent.name, one.name), f"Chat {one.name}", record


def _is_chat(place: Path) -> bool:
    return place.is_dir() and (place / CHATS[1]).is_file() and (place / _PROBES).is_file()


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(
            f"{path} is not JSON: {error}", remedy="Download the chat again"
        ) from error


def _batches(chat: Any) -> Iterator[tuple[str, Record]]:
    for entry in chat:
        if "turns" in entry:
            yield str(entry["batch_number"]), entry
        else:
            for plan, batches in entry.items():
                yield from ((f"{plan}-{batch['batch_number']}", batch) for batch in batches)


def _question(place: int, probe: Record, ability: str, ids: Container[str]) -> Question:
    sources = dict.fromkeys(_leaves(probe.get("source_chat_ids")))
    return Question(
        id=f"{ability}-{place}",
        query=text_of(probe["question"]),
        gold=tuple(one for one in sources if one in ids) if ability != _ABSTENTION else (),
        category=ability,
        answer=next((str(probe[name]) for name in _ANSWERS if name in probe), ""),
        rubric=tuple(map(text_of, probe["rubric"])),
        answerable=ability != _ABSTENTION,
    )


def _leaves(value: Any) -> Iterator[str]:
    """The ids of a list of any depth, or of an object of lists."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)
    elif value is not None:
        yield str(value)

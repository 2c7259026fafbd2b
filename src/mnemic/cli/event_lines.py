"""Events of a memory as sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from mnemic.cli.output import when
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.types import Event, Json

SENTENCES = {
    "write": "was written as {kind}{after}",
    "supersede": "was replaced by {by}",
    "repeat": "was said again",
    "pending": "waits for the user's word{because}",
    "confirm": "was confirmed by the user",
    "snooze": "was put off until {until}",
    "later": "was put off until {until}",  # as written by versions up to 0.1
    "archive": "was archived{because}",
    "withdraw": "was withdrawn by the user",
    "withdrawn": "no longer holds",
    "conflict": "won against another statement{because}",
    "trust": "is now trusted as said by {to}, before by {from}",
    "memory.write.important": "was announced as important ({importance})",
    "restore": "holds again{because}",
    "revise": "lost what one source had added{because}",
    "core": "became part of the core{because}",
    "leave_core": "is no longer part of the core{because}",
    "merge": "was merged into {into}{because}",
    "demote": "was given a short life{because}",
    "expire": "expired{because}",
    "delete": "was deleted{because}",
    "disown": "is not the owner's alone{because}",
    "undo": "is as it was before{because}",
}


def describe(event: Event, names: Mapping[str, str]) -> str:
    """The event as a sentence; ``names`` are the labels of the versions."""
    payload = event.payload
    if event.type == "reject":
        user = payload.get("by") == "user"
        if user:
            return phrase("was not kept: the user did not want it")
        other = _name(payload.get("by"), names)
        return phrase("was not kept: {other} is stronger", other=other)
    before = _name(payload.get("supersedes"), names)
    words = {
        **payload,
        "by": _name(payload.get("by"), names),
        "into": _name(payload.get("into"), names),
        "after": phrase(", after {before}", before=before) if before else "",
        "because": _because(payload),
        "until": _moment(payload.get("until")),
    }
    words |= {name: term(str(words.get(name, ""))) for name in ("kind", "from", "to")}
    template = phrase(SENTENCES.get(event.type, event.type))
    return template.format_map(defaultdict(str, words))


def _name(id_: Json, names: Mapping[str, str]) -> str:
    return names.get(str(id_), str(id_)) if id_ else ""


def _because(payload: Mapping[str, Json]) -> str:
    settled = payload.get("settled")
    decided = settled.get("reason") if isinstance(settled, dict) else ""
    reason = payload.get("reason") or decided
    return phrase(": {reason}", reason=sentence(str(reason))) if reason else ""


def _moment(text: Json) -> str:
    return when(datetime.fromisoformat(text)) if isinstance(text, str) else ""

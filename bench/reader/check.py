"""Check the form of labeled conversations: `python -m bench.reader.check FOLDER…`.

Prints what is wrong, and counts. README.md says what the fields mean.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bench.reader.data import RELATIONS, TRAPS, TYPES, read_talks

STATES = ("current", "ended", "future", "corrected")
_ROLES = ("user", "assistant", "tool")
_LEAST = {"sessions": 5, "turns": 30, "facts": 10, "traps": 4, "questions": 12}
_MOST_SESSIONS = 8


def find_faults(talk: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a conversation."""
    turns: dict[str, str] = {}
    last: datetime | None = None
    for session in talk["sessions"]:
        at = datetime.fromisoformat(session["at"])
        if at.tzinfo is None or (last is not None and at <= last):
            yield f"{session['id']}: a time without a zone, or out of order"
        last = at
        for n, turn in enumerate(session["turns"]):
            if turn["role"] not in _ROLES or not turn["text"].strip():
                yield f"{session['id']}#{n}: role or text"
            turns[f"{session['id']}#{n}"] = turn["text"]
    for n, fact in enumerate(talk["facts"]):
        yield from _fact_faults(n, fact, turns, len(talk["facts"]))
    for n, trap in enumerate(talk["traps"]):
        if trap["turn"] not in turns or trap["kind"] not in TRAPS:
            yield f"trap {n}: turn or kind"
    for n, question in enumerate(talk["questions"]):
        if question["type"] not in TYPES or any(e not in turns for e in question["evidence"]):
            yield f"question {n}: type or evidence"
        if (question["type"] == "none") != (not question["evidence"]):
            yield f"question {n}: evidence of a question of the type {question['type']}"
    sizes = {name: len(talk[name]) for name in _LEAST if name != "turns"} | {"turns": len(turns)}
    small = [name for name, least in _LEAST.items() if sizes[name] < least]
    if small or sizes["sessions"] > _MOST_SESSIONS:
        yield f"too few or too many {', '.join(small) or 'sessions'}"


def _fact_faults(
    n: int, fact: Mapping[str, Any], turns: Mapping[str, str], facts: int
) -> Iterator[str]:
    if not fact["turns"] or any(place not in turns for place in fact["turns"]):
        yield f"fact {n}: turns"
        return
    if fact["value"] not in turns[fact["turns"][0]]:
        yield f"fact {n}: {fact['value']!r} is not in {fact['turns'][0]}"
    if fact["relation"] not in RELATIONS or fact["state"] not in STATES:
        yield f"fact {n}: relation or state"
    for name in ("from", "until"):
        if fact.get(name):
            date.fromisoformat(fact[name][:10])
    follower = fact.get("replaced_by")
    if follower is not None and not 0 <= follower < facts:
        yield f"fact {n}: replaced_by"


def main() -> int:
    count: Counter[str] = Counter()
    seen: set[str] = set()
    for talk in read_talks([Path(name) for name in sys.argv[1:]]):
        faults = list(find_faults(talk))
        if talk["id"] in seen:
            faults.append("its id is there twice")
        seen.add(talk["id"])
        for fault in faults:
            print(f"{talk['id']}: {fault}")
        count.update(wrong=len(faults), conversations=1)
        count.update({name: len(talk[name]) for name in ("facts", "traps", "questions")})
        count.update(turns=sum(len(session["turns"]) for session in talk["sessions"]))
    print(dict(count))
    return 1 if count["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the reader was not trained on, as banks for the ranker: `python -m bench.reader.banks`.

    python -m bench.reader.banks OUT --talks FOLDER… [--public FILE.json.xz] [--all]

Writes ``talks-en.jsonl``, ``talks-zh.jsonl``, ``talks-mixed.jsonl`` and ``dialogues.jsonl`` in the
form that ``bench recall`` reads, of the held-out conversations and dialogues, or of all.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.reader.data import is_held_out, read_talks

_FILES = {"en": "talks-en", "zh": "talks-zh"}


def bank_of_talk(talk: Mapping[str, Any]) -> dict[str, Any]:
    """A conversation as one memory; a question that nothing answers has no gold."""
    items = [
        {
            "id": f"{session['id']}#{n}",
            "text": turn["text"],
            "timestamp": session["at"],
            "speaker": turn["role"],
            "session": session["id"],
        }
        for session in talk["sessions"]
        for n, turn in enumerate(session["turns"])
    ]
    questions = [
        {"id": str(n), "query": q["query"], "gold": q["evidence"], "category": q["type"]}
        for n, q in enumerate(talk["questions"])
    ]
    return {"bank": talk["id"], "items": items, "questions": questions}


def bank_of_group(name: str, group: Mapping[str, Any]) -> dict[str, Any]:
    """A group of public dialogues as one memory."""
    items = [{"id": str(n), **item} for n, item in enumerate(group["items"])]
    questions = [
        {
            "id": str(n),
            "query": q["query"],
            "gold": [str(place) for place in q["gold"]],
            "category": "",
        }
        for n, q in enumerate(group["questions"])
    ]
    return {"bank": name, "items": items, "questions": questions}


def public_banks(path: Path, whole: bool) -> Iterator[dict[str, Any]]:
    """The dialogues of a file that were held out."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for n, group in enumerate(json.load(file)):
            if whole or is_held_out(group["items"][0]["text"]):
                yield bank_of_group(f"dialogues-{n}", group)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--talks", type=Path, action="append", default=[])
    parser.add_argument("--public", type=Path)
    parser.add_argument("--all", action="store_true", help="also what the reader was trained on")
    given = parser.parse_args()
    banks: dict[str, list[dict[str, Any]]] = {}
    for talk in read_talks(given.talks):
        if given.all or is_held_out(talk["id"]):
            name = _FILES.get(talk["language"], "talks-mixed")
            banks.setdefault(name, []).append(bank_of_talk(talk))
    if given.public:
        banks["dialogues"] = list(public_banks(given.public, given.all))
    given.out.mkdir(parents=True, exist_ok=True)
    for name, some in banks.items():
        lines = "".join(json.dumps(bank, ensure_ascii=False) + "\n" for bank in some)
        (given.out / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        asked = sum(len(bank["questions"]) for bank in some)
        print(name, len(some), "banks", asked, "questions")


if __name__ == "__main__":
    main()

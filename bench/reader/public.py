"""Public dialogues with evidence, for training: `python -m bench.reader.public CLONES OUT.json.xz`.

CLONES holds clones of three repositories, all under Apache-2.0: FriendsQA (emorynlp), Molweni
(HIT-SCIR) and RealMemBench (AvatarMemory). A group has ``items`` (text, speaker, timestamp,
session) and ``questions`` (query, and the places of the items that answer it).
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LONGEST = 2_500
_LARGE = 300  # items of a group
_MOST_GOLD = 8
Group = dict[str, Any]


def as_item(text: str, speaker: str, session: str, timestamp: str = "") -> dict[str, str]:
    """One message, with spaces as people type them."""
    spaced = re.sub(r"\s+('\w+|n't|[.,!?])", r"\1", re.sub(r"\s+", " ", text)).strip()
    return {
        "text": spaced[:_LONGEST], "speaker": speaker, "session": session, "timestamp": timestamp,
    }  # fmt: skip


def friends(clones: Path) -> Iterator[Group]:
    """Dialogues of a television series, with questions about each scene."""
    for part in ("dev", "tst"):
        path = clones / "FriendsQA" / "dat" / f"friendsqa_{part}.json"
        groups: dict[str, Group] = {}
        for scene in json.loads(path.read_text(encoding="utf-8"))["data"]:
            group = groups.setdefault(scene["title"][:5], {"items": [], "questions": []})
            for paragraph in scene["paragraphs"]:
                base = len(group["items"])
                for line in paragraph["utterances:"]:
                    speaker = ", ".join(line["speakers"])
                    group["items"].append(as_item(line["utterance"], speaker, scene["title"]))
                for question in paragraph["qas"]:
                    gold = sorted({base + int(a["utterance_id"]) for a in question["answers"]})
                    known = [place for place in gold if place < len(group["items"])]
                    group["questions"].append({"query": question["question"], "gold": known})
        yield from groups.values()


def molweni(clones: Path) -> Iterator[Group]:
    """Chats of several people about computers."""
    path = clones / "Molweni" / "MRC(withDiscourse)" / "test.json"
    group: Group = {"items": [], "questions": []}
    for dialogue in json.loads(path.read_text(encoding="utf-8"))["data"]["dialogues"]:
        base = len(group["items"])
        lines = dialogue["edus"]
        group["items"] += [as_item(line["text"], line["speaker"], str(base)) for line in lines]
        for question in dialogue["qas"]:
            if question.get("is_impossible"):
                continue
            answers = [answer["text"].lower() for answer in question["answers"]]
            gold = [
                base + n
                for n, line in enumerate(lines)
                if any(answer in line["text"].lower() for answer in answers)
            ]
            if 0 < len(gold) <= 2:
                group["questions"].append({"query": question["question"], "gold": gold})
        if len(group["items"]) > _LARGE:
            yield group
            group = {"items": [], "questions": []}
    yield group


def real_memories(clones: Path) -> Iterator[Group]:
    """Long talks with an assistant that used what was said before."""
    for path in sorted((clones / "RealMemBench" / "dataset").glob("*_dialogues_256k.json")):
        group: Group = {"items": [], "questions": []}
        sources: dict[tuple[str, str], int] = {}
        for session in json.loads(path.read_text(encoding="utf-8"))["dialogues"]:
            base, turns, ident = (
                len(group["items"]),
                session["dialogue_turns"],
                session["session_uuid"],
            )
            for n, turn in enumerate(turns):
                if turn.get("is_query"):
                    answer = turns[n + 1] if n + 1 < len(turns) else {}
                    used = [*(answer.get("memory_used") or []), *(turn.get("memory_used") or [])]
                    named = [(u.get("session_uuid"), str(u.get("content")).strip()) for u in used]
                    gold = sorted({sources[key] for key in named if key in sources})
                    if 0 < len(gold) <= _MOST_GOLD:
                        group["questions"].append({"query": turn["content"][:600], "gold": gold})
            group["items"] += [
                as_item(t["content"], t["speaker"].lower(), ident, session["current_time"][:10])
                for t in turns
            ]
            for memory in session.get("extracted_memory") or []:
                at = int(memory.get("source_turn") or 0) - 1
                if 0 <= at < len(turns):
                    key = memory.get("session_uuid") or ident, str(memory.get("content")).strip()
                    sources[key] = base + at
        yield group


def main() -> None:
    clones, out = Path(sys.argv[1]), Path(sys.argv[2])
    groups: list[Group] = []
    count: Counter[str] = Counter()
    for read in (friends, molweni, real_memories):
        for group in read(clones):
            group["questions"] = [q for q in group["questions"] if q["gold"]]
            groups.append(group)
            count[read.__name__] += len(group["questions"])
    with lzma.open(out, "wt", encoding="utf-8") as file:
        json.dump(groups, file, ensure_ascii=False)
    print(dict(count))


if __name__ == "__main__":
    main()

"""Texts for training as arrays of pieces: `python -m bench.reader.data --help`.

Reads labeled conversations (see README.md) and groups of public dialogues, cuts them with the
tokenizers of the bases exactly as the engine does, and writes one file that training needs nothing
beside. A fifth of the conversations is held out by its id, before anything is trained.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from tokenizers import Tokenizer

from mnemic.providers.reader.inputs import SCRIPTS, Cutter, Script, TurnText, script_of

HELD_OUT = 5  # one conversation in so many
RELATIONS = (
    "name nickname age birthday lives_in from address phone email job employer studies school"
    " family partner friend colleague pet health allergy diet medication likes dislikes hobby habit"
    " schedule appointment deadline trip plan goal event decision rule uses version device vehicle"
    " owns language learning project number place other"
).split()
TIMES = ("present", "future", "past", "change")
TRAPS = (
    "hypothetical quoted pasted other_person joke question past negated small_talk plan_dropped"
    " role_play"
).split()


_FOREIGN = frozenset(1 + TRAPS.index(kind) for kind in ("pasted", "quoted", "role_play"))
# Relations of the labels in bench/conversations that have another name here.
_RENAMED = {
    "database": "uses", "os": "uses", "editor": "uses", "port": "number", "path": "other",
    "instrument": "hobby", "marital_status": "partner", "note": "other",
}  # fmt: skip


@dataclass
class Arrays:
    """Flat lists that become arrays: windows of turns, and questions."""

    ids: list[int] = field(default_factory=list)
    window_starts: list[int] = field(default_factory=list)
    window_own: list[int] = field(default_factory=list)
    window_text: list[int] = field(default_factory=list)  # where the text itself begins
    window_script: list[int] = field(default_factory=list)
    window_turn: list[int] = field(default_factory=list)
    tagged: list[int] = field(default_factory=list)  # windows with labels for the heads
    tags: list[int] = field(default_factory=list)  # one a piece: 0, or 1 + begin/inside
    relations: list[int] = field(default_factory=list)
    subjects: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    voices: list[int] = field(default_factory=list)  # one a piece: not known, own, foreign
    turn_bank: list[int] = field(default_factory=list)
    turn_trap: list[int] = field(default_factory=list)
    bank_split: list[int] = field(default_factory=list)
    bank_kind: list[int] = field(default_factory=list)
    question_ids: list[int] = field(default_factory=list)
    question_starts: list[int] = field(default_factory=list)
    question_script: list[int] = field(default_factory=list)
    question_bank: list[int] = field(default_factory=list)
    question_type: list[int] = field(default_factory=list)
    gold: list[int] = field(default_factory=list)
    gold_starts: list[int] = field(default_factory=list)


KINDS = ("talk", "public")
TYPES = (
    "single several list order count change date paraphrase hint agent tool none public translated"
).split()


def is_held_out(ident: str) -> bool:
    """Whether a conversation is kept apart, by its id alone."""
    return crc32(ident.encode()) % HELD_OUT == 0


class Writer:
    """Cuts texts and appends them."""

    def __init__(self, tokenizers: Mapping[Script, Tokenizer]) -> None:
        self._cutters = {script: Cutter(tokenizers[script], script) for script in SCRIPTS}
        self.arrays = Arrays()

    def bank(self, kind: str, held_out: bool) -> int:
        self.arrays.bank_kind.append(KINDS.index(kind))
        self.arrays.bank_split.append(int(held_out))
        return len(self.arrays.bank_kind) - 1

    def turn(
        self,
        bank: int,
        passage: TurnText,
        labels: Sequence[Label] | None,
        trap: int = 0,
        foreign: Sequence[tuple[int, int]] | None = None,
    ) -> int:
        """A turn; ``labels`` is None where it is not known what there is to learn, ``foreign``
        where it is not known which stretches are somebody else's text.
        """
        out = self.arrays
        number = len(out.turn_bank)
        out.turn_bank.append(bank)
        out.turn_trap.append(trap)
        script = script_of(passage.text)
        for window in self._cutters[script].windows(passage):
            start, text = len(out.ids), len(window.ids) - 1 - len(window.offsets)
            out.window_starts.append(start)
            out.window_own.append(window.own)
            out.window_text.append(text)
            out.window_script.append(SCRIPTS.index(script))
            out.window_turn.append(number)
            out.tagged.append(int(labels is not None) + 2 * int(foreign is not None))
            out.ids += window.ids
            rows = _labeled(window.offsets, labels or ())
            voices = [_voice(offset, foreign) for offset in window.offsets]
            out.voices += [0] * text + voices + [0]
            blank = [(0, 0, 0, 0)]
            for tag, relation, subject, time in blank * text + rows + blank:
                out.tags.append(tag)
                out.relations.append(relation)
                out.subjects.append(subject)
                out.times.append(time)
        return number

    def question(self, bank: int, query: str, gold: Sequence[int], kind: str) -> None:
        out = self.arrays
        script = script_of(query)
        out.question_starts.append(len(out.question_ids))
        out.question_ids += self._cutters[script].question(query).ids
        out.question_script.append(SCRIPTS.index(script))
        out.question_bank.append(bank)
        out.question_type.append(TYPES.index(kind))
        out.gold_starts.append(len(out.gold))
        out.gold += gold


@dataclass(frozen=True, slots=True)
class Label:
    """A piece of a turn that says a fact."""

    start: int
    end: int
    relation: str
    of_user: bool
    time: str


def renamed(relation: str) -> str:
    """A relation of bench/conversations by its name here."""
    known = _RENAMED.get(relation, relation)
    return known if known in RELATIONS else "other"


def _labeled(
    offsets: Sequence[tuple[int, int]], labels: Sequence[Label]
) -> list[tuple[int, int, int, int]]:
    """Tag, relation, subject and time of each piece; 0 outside of every label."""
    rows = [(0, 0, 0, 0)] * len(offsets)
    for label in labels:
        inside = False
        for n, (start, end) in enumerate(offsets):
            if start < label.end and end > label.start and rows[n][0] == 0:
                rows[n] = (
                    2 if inside else 1,
                    1 + RELATIONS.index(label.relation),
                    1 if label.of_user else 2,
                    1 + TIMES.index(label.time),
                )
                inside = True
    return rows


def _voice(offset: tuple[int, int], foreign: Sequence[tuple[int, int]] | None) -> int:
    if foreign is None:
        return 0
    return 2 if any(offset[0] < end and offset[1] > start for start, end in foreign) else 1


def talk_labels(talk: Mapping[str, Any]) -> dict[str, list[Label]]:
    """The labels of each turn of a conversation, by its place."""
    texts, days = {}, {}
    for session in talk["sessions"]:
        for n, turn in enumerate(session["turns"]):
            texts[f"{session['id']}#{n}"] = turn["text"]
            days[f"{session['id']}#{n}"] = session["at"][:10]
    replacing = {fact["replaced_by"] for fact in talk["facts"]} - {None}
    labels: dict[str, list[Label]] = {}
    for number, fact in enumerate(talk["facts"]):
        place = fact["turns"][0]
        start = texts[place].find(fact["value"])
        if start < 0:
            continue
        time = "present"
        if number in replacing:
            time = "change"
        elif fact["from"] and fact["from"] > days[place]:
            time = "future"
        elif fact["until"] and fact["until"] < days[place]:
            time = "past"
        labels.setdefault(place, []).append(
            Label(
                start, start + len(fact["value"]), fact["relation"], fact["about"] == "user", time
            )
        )
    return labels


def add_talk(writer: Writer, talk: Mapping[str, Any], others: Mapping[str, str]) -> None:
    """A conversation; ``others`` has some of its questions in the other language."""
    bank = writer.bank("talk", is_held_out(talk["id"]))
    labels = talk_labels(talk)
    traps = {trap["turn"]: 1 + TRAPS.index(trap["kind"]) for trap in talk["traps"]}
    places: dict[str, int] = {}
    for session in talk["sessions"]:
        before = ""
        day = date.fromisoformat(session["at"][:10])
        for n, turn in enumerate(session["turns"]):
            place = f"{session['id']}#{n}"
            passage = TurnText(turn["text"], turn["role"], day, before)
            known = labels.get(place, []) if turn["role"] == "user" else None
            trap = traps.get(place, 0)
            own = known is not None and trap not in _FOREIGN
            places[place] = writer.turn(bank, passage, known, trap, () if own else None)
            before = f"{turn['role']}: {turn['text']}"
    for question in talk["questions"]:
        gold = [places[place] for place in question["evidence"]]
        writer.question(bank, question["query"], gold, question["type"])
        if question["query"] in others and gold:
            writer.question(bank, others[question["query"]], gold, "translated")


def add_public(writer: Writer, group: Mapping[str, Any]) -> None:
    """A group of public dialogues: items, and questions with the places of their evidence."""
    bank = writer.bank("public", is_held_out(group["items"][0]["text"]))
    last: dict[str, str] = {}
    turns = []
    for item in group["items"]:
        day = date.fromisoformat(item["timestamp"][:10]) if item.get("timestamp") else None
        before = last.get(item["session"], "")
        turns.append(writer.turn(bank, TurnText(item["text"], item["speaker"], day, before), None))
        last[item["session"]] = f"{item['speaker']}: {item['text']}"
    for question in group["questions"]:
        gold = [turns[n] for n in question["gold"]]
        if gold:
            writer.question(bank, question["query"], gold, "public")


def add_labeled(writer: Writer, conversation: Mapping[str, Any]) -> None:
    """A conversation of bench/conversations, whose labels say a value and not its turn."""
    bank = writer.bank("public", held_out=False)
    wanted = [(label, "present") for label in conversation.get("label", ())]
    wanted += [(label, "past") for label in conversation.get("ended", ())]
    for session in conversation["session"]:
        before = ""
        day = date.fromisoformat(str(session["at"])[:10])
        for turn in session["turns"]:
            labels: list[Label] | None = None
            if turn["role"] == "user":
                labels, left = [], []
                for label, time in wanted:
                    start = turn["text"].find(label["value"])
                    if start < 0:
                        left.append((label, time))
                        continue
                    relation = renamed(label["relation"])
                    end = start + len(label["value"])
                    of_user = label["about"] == "user"
                    labels.append(Label(start, end, relation, of_user, "present"))
                wanted = left
            trap = 1 + TRAPS.index("joke") if turn.get("trap") else 0
            passage = TurnText(turn["text"], turn["role"], day, before)
            own = turn["role"] == "user" and not trap
            writer.turn(bank, passage, labels, trap, () if own else None)
            before = f"{turn['role']}: {turn['text']}"


def add_message(writer: Writer, marked: str) -> None:
    """A message in which the marks ⟦ and ⟧ enclose what is somebody else's text."""
    text, foreign, start = "", [], 0
    for part in re.split("([⟦⟧])", marked.strip()):
        if part == "⟦":
            start = len(text)
        elif part == "⟧":
            foreign.append((start, len(text)))
        else:
            text += part
    bank = writer.bank("public", is_held_out(text))
    writer.turn(bank, TurnText(text, "user"), None, 0, foreign)


def read_talks(folders: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    """Every conversation below some folders, in the order of their names."""
    for folder in folders:
        for path in sorted(folder.rglob("*.json")):
            talk = json.loads(path.read_text(encoding="utf-8"))
            if "sessions" in talk:
                yield talk


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizers", type=Path, required=True, help="a folder of bases")
    parser.add_argument("--talks", type=Path, action="append", default=[])
    parser.add_argument("--translated", type=Path, help="questions in the other language, by id")
    parser.add_argument("--public", type=Path, action="append", default=[])
    parser.add_argument("--labeled", type=Path, action="append", default=[])
    parser.add_argument("--messages", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    writer = Writer({s: Tokenizer.from_file(str(given.tokenizers / f"{s}.json")) for s in SCRIPTS})
    others: Mapping[str, Mapping[str, str]] = {}
    if given.translated:
        others = json.loads(given.translated.read_text(encoding="utf-8"))
    for talk in read_talks(given.talks):
        add_talk(writer, talk, others.get(talk["id"], {}))
    for path in given.public:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for group in json.load(file):
                add_public(writer, group)
    for path in given.labeled:
        for conversation in tomllib.loads(path.read_text(encoding="utf-8"))["conversation"]:
            add_labeled(writer, conversation)
    for path in given.messages:
        for marked in re.split(r"(?m)^---$", path.read_text(encoding="utf-8")):
            if marked.strip():
                add_message(writer, marked)
    arrays = {name: np.array(values, np.int32) for name, values in vars(writer.arrays).items()}
    np.savez_compressed(given.out, **arrays)  # type: ignore[arg-type]
    types = Counter(TYPES[n] for n in writer.arrays.question_type)
    print(len(arrays["turn_bank"]), "turns", dict(types), "held out", sum(writer.arrays.bank_split))


if __name__ == "__main__":
    main()

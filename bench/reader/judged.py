"""What the judges learn from, as arrays: `python -m bench.reader.judged --help`.

Three things are judged over the encoders' states: whether a sentence of a user is worth keeping,
from conversations and single messages whose sentences have labels; whose words a stretch of a
message is, from messages in which somebody else's text is marked with ⟦ and ⟧; and whether a
sentence ends something known, from the changes of the conversations and from `endings/`. Messages
are cut exactly as the engine cuts them. A fifth is held out by checksum before anything is
combined.
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

import numpy as np
from tokenizers import Tokenizer

from bench.reader.combined import Combiner, Marked, Parts, joined, read_messages
from bench.reader.data import (
    RELATIONS,
    Label,
    is_held_out,
    read_talks,
    renamed,
    talk_labels,
)
from bench.reader.plain import plain_pairs
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.sentences import Places, Splitter
from mnemic.language.voice.stretches import Stretch, layout, stretches
from mnemic.learn.endings import READ_WHOLE
from mnemic.providers.reader.inputs import (
    SCRIPTS,
    Cutter,
    Script,
    TurnText,
    ending_passage,
    script_of,
)

Split = Literal["train", "held"]
NOT_KNOWN = -1  # a sentence that repeats a value: nobody says whether it is to be kept again
SOURCES = ("talks", "labeled", "sentences")
PAIRS = ("talks", "written", "plain", "quiet")  # where the two texts come from
_MOST = 40  # stretches of a message
_OFTEN = 2  # times that an item of `endings/` is read: they are harder than the others
_LABELED = re.compile(r"(K:\w+|T:\w+|N) (.+)")
_SHORTEST = {"latin": 4, "han": 2}  # characters of a value by which a repetition is known
_ENDS = tuple(".!?…\"')”。！？～~」』）")
_GOES_ON = tuple(",;:-，；、：—")  # the sentence goes on with the next part
_SPLITTER = Splitter(load_patterns().phrases)


@dataclass
class Windows:
    """Windows of pieces, one behind the other."""

    ids: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])

    def add(self, ids: Sequence[int]) -> int:
        self.ids += ids
        self.starts.append(len(self.ids))
        return len(self.starts) - 2


class Writer:
    """Cuts messages and appends what is to be judged of them."""

    def __init__(self, tokenizers: Path) -> None:
        self._cutters = {
            s: Cutter(Tokenizer.from_file(str(tokenizers / f"{s}.json")), s) for s in SCRIPTS
        }
        self.windows = Windows()
        # Window, first piece, end, script, held out, source, keep, trap, relation, subject.
        self.sentences: list[tuple[int, ...]] = []
        # Message, window, first piece, end, foreign; a row of `layouts` beside each.
        self.stretches: list[tuple[int, ...]] = []
        self.layouts: list[list[float]] = []
        self.messages: list[tuple[int, int]] = []  # script, held out
        # Window, first piece, end, script, held out, ends, source.
        self.pairs: list[tuple[int, ...]] = []

    def places(
        self, passage: TurnText, wanted: Sequence[Stretch]
    ) -> Iterator[tuple[int, int, int] | None]:
        """Where stretches lie: the window that has most of one, its first piece and its end."""
        windows = self._cutters[script_of(passage.text)].windows(passage)
        numbers = [self.windows.add(window.ids) for window in windows]
        for start, end in wanted:
            best: tuple[int, int, int] | None = None
            for number, window in zip(numbers, windows, strict=True):
                first = len(window.ids) - 1 - len(window.offsets)
                own = [
                    first + n for n, (a, b) in enumerate(window.offsets) if a < end and b > start
                ]
                if own and (best is None or len(own) > best[2] - best[1]):
                    best = number, own[0], own[-1] + 1
            yield best

    def sentence_rows(
        self, passage: TurnText, judged: Mapping[Stretch, tuple[int, ...]], source: str, held: bool
    ) -> None:
        """The sentences of a message with what is said of each."""
        script = SCRIPTS.index(script_of(passage.text))
        for place, row in zip(self.places(passage, list(judged)), judged.values(), strict=True):
            if place:
                self.sentences.append((*place, script, int(held), SOURCES.index(source), *row))

    def message(self, marked: Marked, held: bool) -> None:
        """A message whose voices are marked."""
        wanted = stretches(marked.text)[:_MOST]
        if not wanted:
            return
        number = len(self.messages)
        self.messages.append((SCRIPTS.index(script_of(marked.text)), int(held)))
        places = self.places(TurnText(marked.text, "user"), wanted)
        rows = layout(marked.text, wanted)
        for stretch, place, row in zip(wanted, places, rows, strict=True):
            foreign = int(_share(stretch, marked.foreign) >= 0.5)
            self.stretches.append((number, *(place or (self.stretches[-1][1], 0, 1)), foreign))
            self.layouts.append(row)

    def pair(self, known: str, said: str, ends: bool, held: bool, source: str = "talks") -> None:
        """Something known, and what was said later."""
        passage = ending_passage(known, said)
        place = next(self.places(passage, [(0, len(said))]))
        if place:
            row = *place, SCRIPTS.index(script_of(said)), int(held), int(ends), PAIRS.index(source)
            self.pairs.append(row)

    def arrays(self) -> dict[str, Any]:
        return {
            "pairs": np.array(self.pairs, np.int32),
            "ids": np.array(self.windows.ids, np.int32),
            "starts": np.array(self.windows.starts, np.int32),
            "sentences": np.array(self.sentences, np.int32),
            "stretches": np.array(self.stretches, np.int32),
            "layouts": np.array(self.layouts, np.float16),
            "messages": np.array(self.messages, np.int32),
        }


def _share(place: Stretch, foreign: Sequence[Stretch]) -> float:
    start, end = place
    return sum(max(0, min(end, b) - max(start, a)) for a, b in foreign) / (end - start)


def sentence_places(text: str) -> Iterator[Stretch]:
    """Where the sentences of a message lie that the engine reads."""
    return (place for place, _ in _cut(text))


def _cut(text: str) -> Iterator[tuple[Stretch, list[Stretch]]]:
    """The sentences of a message, and the clauses of each that has several."""
    places = Places(text)
    for sentence in _SPLITTER.split_sentences(text):
        place = places.find(sentence.text)
        if place:
            own = Places(text[slice(*place)])
            found = filter(None, map(own.find, sentence.clauses))
            clauses = [(place[0] + start, place[0] + end) for start, end in found]
            yield place, clauses if len(clauses) > 1 else []


def _by_values(
    text: str, labels: Sequence[Label], trap: bool, values: Collection[str]
) -> dict[Stretch, tuple[int, ...]]:
    """Each sentence and clause by the labels that begin in it; one that repeats a value is not
    known, nor is a clause beside one that has a label.
    """
    judged: dict[Stretch, tuple[int, ...]] = {}
    shortest = _SHORTEST[script_of(text)]

    def judge(start: int, end: int, *, beside: bool = False) -> bool:
        own = [label for label in labels if start <= label.start < end]
        repeats = any(len(value) >= shortest and value in text[start:end] for value in values)
        keep = 1 if own else NOT_KNOWN if repeats or beside else 0
        relation = RELATIONS.index(own[0].relation) if own else -1
        subject = int(not own[0].of_user) if own else -1
        judged[start, end] = keep, int(trap and not own), relation, subject
        return bool(own)

    for sentence, clauses in _cut(text):
        kept = judge(*sentence)
        for clause in clauses:
            judge(*clause, beside=kept)
    return judged


def add_talk(writer: Writer, talk: Mapping[str, Any]) -> None:
    """The user's turns of a conversation."""
    labels, held = talk_labels(talk), is_held_out(talk["id"])
    traps = {trap["turn"] for trap in talk["traps"]}
    values = {fact["value"] for fact in talk["facts"]}
    for session in talk["sessions"]:
        before, day = "", date.fromisoformat(session["at"][:10])
        for n, turn in enumerate(session["turns"]):
            place, text = f"{session['id']}#{n}", turn["text"]
            if turn["role"] == "user":
                judged = _by_values(text, labels.get(place, []), place in traps, values)
                writer.sentence_rows(TurnText(text, "user", day, before), judged, "talks", held)
            before = f"{turn['role']}: {text}"


def add_changes(writer: Writer, talk: Mapping[str, Any]) -> None:
    """What took the place of something known, beside what stays; and news that end nothing."""
    turns = {place: turn["text"] for place, turn in _turns(talk)}
    held, facts = is_held_out(talk["id"]), talk["facts"]
    order = {place: number for number, place in enumerate(turns)}
    told = [_sentence_of(turns[fact["turns"][0]], fact["value"]) for fact in facts]
    draw = random.Random(talk["id"])
    for number, fact in enumerate(facts):
        said, place = told[number], order[fact["turns"][0]]
        ended = [n for n, old in enumerate(facts) if old["replaced_by"] == number]
        known = [n for n, old in enumerate(facts) if order[old["turns"][0]] < place]
        stay = [n for n in known if n not in ended and facts[n]["replaced_by"] is None]
        near = sorted(stay, key=lambda n: -_likeness(told[n], said, facts[n], fact))
        others = {*near[:3], *draw.sample(stay, min(2, len(stay)))} if ended else near[:1]
        whole = turns[fact["turns"][0]]
        for n in ended:
            for text in dict.fromkeys((told[n], facts[n]["statement"])):
                writer.pair(text, said, True, held)
            if said != whole and len(whole) <= READ_WHOLE:
                writer.pair(told[n], whole, True, held)
        for n in others:
            writer.pair(draw.choice((told[n], facts[n]["statement"])), said, False, held)


def add_quiet(writer: Writer, talk: Mapping[str, Any]) -> None:
    """What is known beside each message that replaces nothing, and beside a clause of it: nearly
    all that the engine asks is of this sort, and one in a hundred that it believes empties a
    memory.
    """
    held, facts = is_held_out(talk["id"]), talk["facts"]
    turns = list(_turns(talk))
    texts = [turn["text"] if turn["role"] == "user" else "" for _, turn in turns]
    order = {place: number for number, (place, _) in enumerate(turns)}
    first = [order[fact["turns"][0]] for fact in facts]
    ends = [_end_of(fact, first, never=len(turns)) for fact in facts]
    told = [_sentence_of(texts[at], fact["value"]) for at, fact in zip(first, facts, strict=True)]
    draw = random.Random(talk["id"])
    for place, text in enumerate(texts):
        stay = [n for n in range(len(facts)) if first[n] < place < ends[n]]
        if not text or not stay or place in ends:
            continue
        stated = [text[a:b] for a, b in sentence_places(text)] or [text]
        whole = text if len(text) <= READ_WHOLE else draw.choice(stated)
        clause = draw.choice(_SPLITTER.split_clauses(draw.choice(stated)) or [whole])
        for said, count in ((whole, 2), (clause, 1)):
            shared = {n: _shared(told[n], said) for n in stay}
            near = sorted(stay, key=shared.__getitem__, reverse=True)[:count]
            for n in {*near, draw.choice(stay)}:
                writer.pair(told[n], said, False, held, "quiet")


def _turns(talk: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The turns of a conversation, each with its name."""
    for session in talk["sessions"]:
        for n, turn in enumerate(session["turns"]):
            yield f"{session['id']}#{n}", turn


def _end_of(fact: Mapping[str, Any], first: Sequence[int], never: int) -> int:
    """The turn that ends a fact; before all of them where the labels do not tell which."""
    if fact["replaced_by"] is not None:
        return first[fact["replaced_by"]]
    return -1 if fact["state"] == "ended" else never


def _sentence_of(text: str, value: str) -> str:
    at = text.find(value)
    return next((text[a:b] for a, b in sentence_places(text) if a <= at < b), text[:200])


def _likeness(known: str, said: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> float:
    same = (old["relation"] == new["relation"]) + 0.5 * (old["about"] == new["about"])
    return _shared(known, said) + same


def _shared(known: str, said: str) -> float:
    pairs = {known[n : n + 2] for n in range(len(known))}
    return sum(said[n : n + 2] in pairs for n in range(len(said))) / (1 + len(said))


def add_endings(writer: Writer, path: Path) -> None:
    """Items of `M:`, `E:` and `H:` lines, what is known, and the message `B:` that ends those of
    `E:` and one half of those of `H:`.
    """
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        lines = [line.split(":", 1) for line in block.strip().splitlines() if ":" in line]
        said = next((text.strip() for kind, text in lines if kind == "B"), "")
        held = is_held_out(said)
        for kind, text in lines * (1 if held else _OFTEN):
            if said and kind != "B":
                writer.pair(text.strip(), said, kind != "M", held, "written")


def add_labeled(writer: Writer, talk: Mapping[str, Any]) -> None:
    """The user's turns of a conversation of bench/conversations."""
    wanted = [*talk.get("label", ()), *talk.get("ended", ())]
    values = {value for label in wanted for value in _values(label)}
    for session in talk["session"]:
        before, day = "", date.fromisoformat(str(session["at"])[:10])
        for turn in session["turns"]:
            text = turn["text"]
            if turn["role"] == "user":
                told = [] if turn.get("trap") else [x for x in wanted if _found(x, text)]
                wanted = [label for label in wanted if label not in told]
                labels = [_label(x, text) for x in told if not x.get("optional")]
                judged = _by_values(text, labels, bool(turn.get("trap")), values)
                writer.sentence_rows(TurnText(text, "user", day, before), judged, "labeled", False)
            before = f"{turn['role']}: {text}"


def _values(label: Mapping[str, Any]) -> list[str]:
    return [label["value"], *label.get("accept", ())]


def _found(label: Mapping[str, Any], text: str) -> str:
    return next((value for value in _values(label) if value in text), "")


def _label(label: Mapping[str, Any], text: str) -> Label:
    value = _found(label, text)
    start = text.find(value)
    relation = renamed(label["relation"])
    return Label(start, start + len(value), relation, label["about"] == "user", "present")


@dataclass(frozen=True, slots=True)
class LabeledMessage:
    """A message of `sentences/` with the label of each part."""

    text: str
    before: str
    parts: tuple[tuple[Stretch, str], ...]


def read_labeled(path: Path) -> Iterator[LabeledMessage]:
    """The messages of a file: `K:relation`, `T:kind` or `N` before each sentence."""
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        before, text, parts = "", "", list[tuple[Stretch, str]]()
        for line in block.strip().splitlines():
            if line.startswith("@ "):
                before = f"assistant: {line[2:]}"
            elif match := _LABELED.match(line.strip()):
                said = match[2].rstrip("⏎ ")
                if text and not text.endswith(("\n", *_ENDS, *_GOES_ON)):
                    text += "\n"  # who ends no sentence with a mark ends it with the line
                elif text and not text.endswith("\n") and script_of(said) != "han":
                    text += " "
                parts.append(((len(text), len(text) + len(said)), match[1]))
                text += said + ("\n" if match[2].rstrip().endswith("⏎") else "")
        if parts:
            yield LabeledMessage(text.rstrip("\n"), before, tuple(parts))


def add_sentences(writer: Writer, message: LabeledMessage) -> None:
    judged: dict[Stretch, tuple[int, ...]] = {}

    def judge(start: int, end: int, *, least: int = 1, part_of: Sequence[str] = ()) -> list[str]:
        """``part_of``: a clause of a sentence with one label that keeps it is not known."""
        labels = [label for (a, b), label in message.parts if min(end, b) - max(start, a) > least]
        kept = [label[2:] for label in labels if label[0] == "K"]
        trap = not kept and any(label[0] == "T" for label in labels)
        relation = RELATIONS.index(kept[0]) if kept and kept[0] in RELATIONS else -1
        keep = NOT_KNOWN if kept and len(part_of) == 1 else int(bool(kept))
        judged[start, end] = keep, int(trap), relation, -1
        return labels

    for (start, end), clauses in _cut(message.text):
        labels = judge(start, end)
        for clause in clauses:
            judge(*clause, least=(clause[1] - clause[0]) // 2, part_of=labels)
    day = date(2026, 1 + len(message.text) % 12, 1 + len(message.text) % 28)
    passage = TurnText(message.text, "user", day, message.before)
    writer.sentence_rows(passage, judged, "sentences", is_held_out(message.text))


def _own_message(message: LabeledMessage) -> Parts:
    """A labeled message by whose words it is made of."""
    parts, place = list[tuple[str, bool]](), 0
    for (_, end), label in message.parts:
        parts.append((message.text[place:end], label == "T:pasted"))
        place = end
    return parts


def add_voices(writer: Writer, folder: Path, labeled: Path, combined: int) -> None:
    """Messages of either language, and as many made of those that are not held out."""
    languages: tuple[tuple[str, Script], ...] = (("en", "latin"), ("zh", "han"))
    for seed, (language, script) in enumerate(languages):
        kept: list[Parts] = []
        marked = [
            p for path in sorted(folder.glob(f"*{language}.txt")) for p in read_messages(path)
        ]
        for path in sorted(labeled.glob(f"{language}-*.txt")):
            marked += [_own_message(message) for message in read_labeled(path)]
        for parts in marked:
            message = joined(parts)
            held = is_held_out(message.text)
            writer.message(message, held)
            if not held:
                kept.append(parts)
        for message in Combiner(kept, script, random.Random(seed)).messages(combined):
            writer.message(message, False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizers", type=Path, required=True, help="a folder with both")
    parser.add_argument("--talks", type=Path, required=True)
    parser.add_argument("--labeled", type=Path, action="append", default=[])
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--messages", type=Path, required=True)
    parser.add_argument("--endings", type=Path, required=True)
    parser.add_argument("--plain", type=int, default=2_500, help="plain endings a language")
    parser.add_argument("--combined", type=int, default=3_000, help="messages made of parts")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    writer = Writer(given.tokenizers)
    for talk in read_talks([given.talks]):
        add_talk(writer, talk)
        add_changes(writer, talk)
        add_quiet(writer, talk)
    for path in sorted(given.endings.glob("*.txt")):
        add_endings(writer, path)
    for language in ("en", "zh"):
        for pair in plain_pairs(language, given.plain, random.Random(language)):
            writer.pair(pair.known, pair.said, pair.ends, is_held_out(pair.said), "plain")
    for path in given.labeled:
        for talk in tomllib.loads(path.read_text(encoding="utf-8"))["conversation"]:
            add_labeled(writer, talk)
    for path in sorted(given.sentences.glob("*.txt")):
        for message in read_labeled(path):
            add_sentences(writer, message)
    add_voices(writer, given.messages, given.sentences, given.combined)
    arrays = writer.arrays()
    np.savez_compressed(given.out, **arrays)
    kept = (arrays["sentences"][:, 6] == 1).sum()
    foreign = arrays["stretches"][:, 4].sum()
    print(f"{len(writer.sentences)} sentences, {kept} to keep; {len(writer.messages)} messages of")
    print(f"{len(writer.pairs)} pairs, {arrays['pairs'][:, 5].sum()} of them endings;")
    print(f"{len(writer.stretches)} stretches, {foreign} of somebody else")


if __name__ == "__main__":
    main()

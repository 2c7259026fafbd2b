"""Examples to train the ranker on: every candidate of every question with its features."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bench.banks import Bank, Question, read_banks
from bench.retrievers import Mnemic
from mnemic.types import RECORD_TYPES, Hit, RecordType

Rows = NDArray[np.float32]
_TURNS: tuple[RecordType, ...] = ("turn",)
_SMALL_SIZES = (4, 12, 40)  # items of the pieces that stand for young memories
_PIECES = 4  # of a bank, of each size
_PER_PIECE = 3
_OPENING = 60  # characters of a turn that tell whether an episode quotes it
_SEED = 11
_ASKED_OF_WORLD = 3
_OF_NO_MEMORY = "none "  # how the ids of such questions begin
_OF_THE_WORLD = (
    "How many moons does Jupiter have?", "Who painted the Night Watch?", "Explain recursion",
    "What is the boiling point of ethanol?", "Write a limerick about penguins", "Bye bye blues",
    "Why is the sky blue?", "convert 14 miles to kilometers", "Who won the 1966 World Cup?",
    "Give me a synonym for brave", "What does HTTP 418 mean?", "Summarize the French Revolution",
    "What is the square root of 361?", "how does a transistor work", "Best works of Mozart",
    "木星有几颗卫星？", "夜巡是谁画的？", "乙醇的沸点是多少", "写一首关于企鹅的打油诗",
    "天为什么是蓝的？", "14 英里等于多少公里", "1966 年世界杯冠军是谁", "勇敢的近义词",
    "总结一下法国大革命", "361 的平方根是多少", "晶体管是怎么工作的", "莫扎特的代表作有哪些",
    "黑洞是怎么形成的", "把这句话翻译成拉丁文",
)  # fmt: skip
_GREETINGS = (
    "hi", "good evening", "thank you so much", "okay then", "bye",
    "嗨", "晚上好", "多谢啦", "行吧", "再见",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """One question: a row of features and a label for each candidate.

    ``foreign``: nothing in the memory answers it; ``plausible``: though it was asked of just this
    memory; ``of_world``: nor would any memory. ``plain``: asked of a whole bank, of its turns
    alone, as the recall figures are. ``gold`` counts the items that answer, found or not.
    """

    file: str
    group: str
    foreign: bool
    plausible: bool
    plain: bool
    of_whole: bool
    gold: int
    rows: Rows
    labels: NDArray[np.bool_]
    sessions: NDArray[np.int64]
    of_world: bool


def gather(
    path: Path, limit: int | None, cache: Path | None, provider: str = "auto"
) -> tuple[tuple[str, ...], list[Example]]:
    """The names of the features and the examples of a file of banks."""
    kept = cache / f"{path.stem}-{provider}.pickle" if cache else None
    if kept and kept.exists():
        stored: tuple[tuple[str, ...], list[Example]] = pickle.loads(kept.read_bytes())
        return stored
    banks = list(read_banks(path, limit))
    names: tuple[str, ...] = ()
    examples: list[Example] = []
    for whole in banks:
        others = [one for bank in banks if bank is not whole for one in bank.questions]
        for bank in (whole, *_pieces(whole)):
            found = list(_of_bank(path.stem, bank, others, len(banks), provider))
            examples += [example for _, example in found]
            names = found[0][0] if found else names
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps((names, examples)))
    return names, examples


def _of_bank(
    file: str, bank: Bank, others: Sequence[Question], banks: int, provider: str
) -> Iterator[tuple[tuple[str, ...], Example]]:
    """Its own questions, and half as many of other banks, each asked of its turns and of all."""
    retriever = Mnemic(settings={"embedding": {"provider": provider}})
    piece = "/" in bank.name
    try:
        retriever.add(bank.items)
        draw = random.Random(crc32(bank.name.encode()))
        foreign = draw.sample(others, min(len(others), (len(bank.questions) + 1) // 2))
        foreign += unanswerable(draw)
        asked = [*((one, False) for one in bank.questions), *((one, True) for one in foreign)]
        for question, is_foreign in asked:
            gold = frozenset() if is_foreign else frozenset(question.gold)
            group = bank.name.partition("/")[0] if banks > 1 else f"{bank.name}#{question.id}"
            for types in (_TURNS, RECORD_TYPES):
                hits, features, of_whole = retriever.pool(question.query, types)
                if not hits:
                    continue
                yield (
                    tuple(features),
                    Example(
                        file=file,
                        group=group,
                        foreign=not gold,
                        plausible=not gold and not is_foreign and not piece,
                        plain=types == _TURNS and not piece,
                        of_whole=of_whole,
                        gold=len(gold),
                        rows=np.stack(list(features.values()), axis=1).astype(np.float32),
                        labels=np.array([_is_gold(hit, gold, retriever, bank) for hit in hits]),
                        sessions=_numbers([hit.session or hit.id for hit in hits]),
                        of_world=question.id.startswith(_OF_NO_MEMORY),
                    ),
                )
    finally:
        retriever.close()


def unanswerable(draw: random.Random) -> list[Question]:
    """Questions and requests about the world, a greeting, and letters that are no word."""
    letters = "".join(draw.choices("bcdfghjklmnpqrstvwxz", k=draw.randrange(4, 9)))
    queries = [*draw.sample(_OF_THE_WORLD, _ASKED_OF_WORLD), draw.choice(_GREETINGS), letters]
    return [Question(f"{_OF_NO_MEMORY}{n}", query, ()) for n, query in enumerate(queries)]


def _is_gold(hit: Hit, gold: frozenset[str], retriever: Mnemic, bank: Bank) -> bool:
    """Whether a turn is gold, a memory was learned from gold, or an episode quotes gold."""
    if hit.sources:
        return not gold.isdisjoint(retriever.items_of(hit.sources))
    quoted = (item.text.strip()[:_OPENING] for item in bank.items if item.id in gold)
    return hit.type == "episode" and any(text in hit.text for text in quoted)


def _numbers(names: Sequence[str]) -> NDArray[np.int64]:
    _, numbers = np.unique(names, return_inverse=True)
    return numbers.astype(np.int64)


def _pieces(bank: Bank) -> Iterator[Bank]:
    """Short stretches of a bank, each a young memory: what it cannot answer is foreign to it."""
    draw = random.Random(_SEED)
    place = {item.id: n for n, item in enumerate(bank.items)}
    answered = [one for one in bank.questions if any(id_ in place for id_ in one.gold)]
    for size in _SMALL_SIZES if len(bank.items) > max(_SMALL_SIZES) else ():
        for number in range(min(_PIECES, len(answered))):
            about = draw.choice(answered)
            at = place[next(id_ for id_ in about.gold if id_ in place)]
            start = max(0, min(at - draw.randrange(size), len(bank.items) - size))
            items = bank.items[start : start + size]
            inside = {item.id for item in items}
            beside = draw.sample(answered, min(_PER_PIECE, len(answered)))
            questions = {
                one.id: replace(one, gold=tuple(id_ for id_ in one.gold if id_ in inside))
                for one in (about, *beside)
            }
            yield Bank(f"{bank.name}/{size}.{number}", items, tuple(questions.values()))

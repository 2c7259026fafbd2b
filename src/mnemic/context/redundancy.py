"""Redundant evidence: pieces that say nothing the prompt does not say already."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mnemic.context.parts import EPISODE, PROMOTED, Item
from mnemic.language.topic import telling_words
from mnemic.patterns import defer
from mnemic.types import Hit, Turn

CONTAINED = "contained in another line of {}"
STANDS_FOR = "a memory in the prompt was learned from it"
RETELLS = "the memories in the prompt say what it tells"
ENOUGH = "more evidence than is wanted"

# Signs that make another word of it (C, C++) or another number (3, 3.12) belong to the word.
_WORD = defer(r"[\w+#%]+(?:\.\d+)*")
_STORY = defer(r"\s·\s|\s→\s")  # between the sentences of an episode by rule
_TOOLS = defer(r"\s\[[^\[\]]*\]$")
_NEGATION = defer(r"(?:[不没未别非]|\bnot|\bnever|\bno|n t)\s?(?:\w{1,6}\s)?$")
_FEW = 2  # more telling words than this, and than the memory has, make a turn say clearly more
_HAN = "\u2e80"  # from here on words are not parted by spaces


def normalize(text: str) -> str:
    """Words in lower case with one space between them; punctuation and layout do not count."""
    return " ".join(_WORD.findall(text.casefold()))


def contains(text: str, phrase: str) -> bool:
    """Whether a normalized text has another in it, in whole words and not denied by ``whole``."""
    start = text.find(phrase) if phrase else -1
    while start >= 0:
        end = start + len(phrase)
        inside_word = _same_word(text[start - 1 : start], phrase[0]) or _same_word(
            phrase[-1], text[end : end + 1]
        )
        if not inside_word and not _NEGATION.search(text, max(0, start - 16), start):
            return True
        start = text.find(phrase, start + 1)
    return False


def repeats(item: Item, texts: Collection[str]) -> bool:
    """Whether a piece stands in these normalized texts."""
    statements = _statements(item)
    return bool(statements) and _are_in(statements, texts)


def _statements(item: Item) -> list[str]:
    """A piece, normalized; of an episode, which may only list what was said, each sentence."""
    is_story = item.kind == EPISODE
    sentences = map(_sentence, _STORY.split(item.text)) if is_story else [normalize(item.text)]
    return list(filter(None, sentences))


def _sentence(text: str) -> str:
    """A sentence of an episode without the tools at its end."""
    return normalize(_TOOLS.sub("", text.strip()).rstrip("…"))


def _are_in(statements: Sequence[str], texts: Collection[str]) -> bool:
    return all(any(contains(text, statement) for text in texts) for statement in statements)


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """What stands in a prompt already: ids of turns, and normalized texts."""

    ids: frozenset[str]
    texts: frozenset[str]

    @classmethod
    def of(cls, shown: Collection[str]) -> ShownTexts:
        """A turn may be named by its id; every other entry is a text."""
        return cls(frozenset(shown), frozenset(filter(None, map(normalize, shown))))

    @classmethod
    def of_turns(cls, turns: Sequence[Turn]) -> ShownTexts:
        """A conversation that stands there."""
        texts = (normalize(turn.text) for turn in turns)
        return cls(frozenset(turn.id for turn in turns), frozenset(filter(None, texts)))

    def says(self, text: str) -> bool:
        """Whether a text stands in that prompt."""
        return repeats(Item(text.rstrip("…")), self.texts)

    def has(self, hit: Hit, behind: Sequence[Turn]) -> bool:
        """Whether a hit is a message of that prompt, stands in one, or was made of such alone."""
        if hit.id in self.ids or normalize(hit.text) in self.texts:
            return True
        if behind and all(
            turn.id in self.ids or normalize(turn.text) in self.texts for turn in behind
        ):
            return True
        return repeats(Item(hit.text, kind=hit.kind or hit.type), self.texts)


def stands_for(memory: Item, turn: Item, query: str) -> bool:
    """Whether a memory stands for the turn it was learned from: that says clearly more where it has
    words of the query that the memory lacks, or more words beyond the memory than that has itself.
    """
    return turn.id in memory.learned_from and _is_said_by([memory], turn, query)


def _is_said_by(memories: Sequence[Item], item: Item, query: str) -> bool:
    """Whether a piece says little beyond some memories, and nothing more to the query."""
    stems = frozenset[str]().union(*(_stems(memory.text) for memory in memories))
    beyond = _stems(item.text) - stems
    return bool(stems) and not beyond & _stems(query) and len(beyond) <= max(_FEW, len(stems))


@dataclass(frozen=True, slots=True)
class Background:
    """The prompt without its evidence: sections of ids, their texts, core memories, message."""

    ids: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    memories: Sequence[Item] = ()
    query: str = ""
    learned_from: dict[str, list[Item]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for memory in self.memories:
            for turn in memory.learned_from:
                self.learned_from.setdefault(turn, []).append(memory)

    def reason(self, item: Item) -> str:
        """Why a piece is redundant beside the rest of the prompt; empty where it is not."""
        if item.id in self.ids:
            return f"already in {self.ids[item.id]}"
        learned = self.learned_from.get(item.id, ())
        if any(stands_for(memory, item, self.query) for memory in learned):
            return STANDS_FOR
        for name, text in self.texts.items():
            if repeats(item, (text,)):
                return CONTAINED.format(name)
        return ""


def select(
    items: Iterable[Item], background: Background, most: int, partial: Collection[str] = ()
) -> tuple[list[Item], list[tuple[Item, str]]]:
    """The first ``most`` pieces of which none is redundant, and the others with the reason.

    A piece that makes an earlier one redundant takes its place and its score. ``partial`` are the
    ids of pieces that are not shown whole: nothing is left out for their sake.
    """
    chosen: list[_Line] = []
    omitted: list[tuple[Item, str]] = []
    for item in items:
        line = _Line(item)
        rivals = [old for old in _list_covering(line, chosen) if old.item.id not in partial]
        reason = background.reason(item) or _beside(line, rivals, background)
        if reason or len(chosen) >= most:
            omitted.append((item, reason or ENOUGH))
            continue
        rivals = [] if item.id in partial else _list_covered(line, chosen)
        covered = {old: why for old in rivals if (why := _beside(old, [line], background))}
        omitted += [(old.item, why) for old, why in covered.items()]
        if covered:
            line.item = replace(item, score=max(item.score, *(o.item.score for o in covered)))
            place = min(map(chosen.index, covered))
            chosen[place:] = [line, *(old for old in chosen[place:] if old not in covered)]
        else:
            chosen.append(line)
    texts = [line.text for line in chosen if line.item.kind != EPISODE]
    texts += background.texts.values()
    for story in [line for line in chosen if line.item.kind == EPISODE]:
        item = _without(story, texts)
        if normalize(item.text):
            story.item = item
            continue
        chosen.remove(story)
        omitted.append((story.item, CONTAINED.format("evidence")))
        for heir in [line for line in chosen if _are_in(story.statements[:1], [line.text])][:1]:
            heir.item = replace(heir.item, score=max(heir.item.score, story.item.score))
    return [line.item for line in chosen], omitted


class _Line:
    """A piece of evidence, normalized once."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.text = normalize(item.text)
        self.statements = _statements(item) if item.kind == EPISODE else [self.text]

    def shares_source(self, other: _Line) -> bool:
        """Whether one was learned from the other."""
        mine, others = self.item, other.item
        return mine.id in others.learned_from or others.id in mine.learned_from

    def is_said_by(self, source: _Line) -> bool:
        """Whether a memory says only what the turn says that it was learned from."""
        learned = source.item.id in self.item.learned_from
        return learned and _stems(self.item.text) <= _stems(source.item.text)


def _without(story: _Line, texts: Sequence[str]) -> Item:
    """An episode without the sentences that these normalized texts say."""
    repeated = {statement for statement in story.statements if _are_in([statement], texts)}
    if not repeated:
        return story.item
    sentences = _STORY.split(story.item.text)
    kept = (sentence for sentence in sentences if _sentence(sentence) not in repeated)
    return replace(story.item, text=" · ".join(kept))


def _list_covering(line: _Line, others: list[_Line]) -> list[_Line]:
    """Those that may make a piece redundant."""
    if line.item.kind == EPISODE:
        return others
    return [other for other in others if line.text in other.text or line.shares_source(other)]


def _list_covered(line: _Line, others: list[_Line]) -> list[_Line]:
    """Those that a piece may make redundant."""
    return [
        other
        for other in others
        if other.text in line.text or other.item.kind == EPISODE or line.shares_source(other)
    ]


def _beside(line: _Line, others: Sequence[_Line], background: Background) -> str:
    """Why a piece is redundant beside other evidence."""
    item = line.item
    if any(stands_for(other.item, item, background.query) for other in others):
        return STANDS_FOR
    if item.kind == EPISODE:
        memories = [(other, normalize(other.text)) for other in background.memories]
        memories += [(other.item, other.text) for other in others if other.item.learned_from]
        retold = [memory for memory, text in memories if contains(line.text, text)]
        if _is_said_by(retold, item, background.query):
            return RETELLS
    # The turn of a memory that stands for it is no reason to leave out the memory, nor is a story
    # that repeats it or a turn; what a stranger said is no reason to leave out the words of the
    # owner.
    saying = [
        other
        for other in others
        if not stands_for(item, other.item, background.query)
        and (item.kind == EPISODE or other.item.kind != EPISODE)
        and (other.item.trust in PROMOTED or item.trust not in PROMOTED)
    ]
    texts = [other.text for other in saying]
    if texts and item.kind == EPISODE:
        texts += background.texts.values()
    is_contained = texts and line.text and _are_in(line.statements, texts)
    return CONTAINED.format("evidence") if is_contained or any(map(line.is_said_by, saying)) else ""


def _same_word(before: str, after: str) -> bool:
    """Whether two neighboring characters belong to one word of a script with spaces."""
    return all(char and not char.isspace() and char < _HAN for char in (before, after))


def has_words_of(query: str, text: str) -> bool:
    """Whether a text has every telling word of a query, which may be one that many texts have."""
    words = _stems(query)
    return bool(words) and words <= _stems(text)


def _stems(text: str) -> frozenset[str]:
    """Telling words without the vowels that an ending takes along (live, lives; study, studied)."""
    return frozenset(
        word.rstrip("eiy") if len(word) > 3 and word.isascii() else word
        for word in telling_words(text)
    )

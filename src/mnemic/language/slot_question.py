"""The slot that a question asks for: whom it is about, and what of them it wants to know.

"What's my sister's job?" is about the user's sister and asks for a job. What a question says beside
that has to be in a statement for it to be an answer: "where do I live in summer?" is not answered
by "I live in Porto". The words are data: ``extract/patterns/questions.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice

import Stemmer

from mnemic.language.query_intent import asks_of_past
from mnemic.language.word_file import list_languages, read_packaged, read_packaged_table
from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.rules.slots import fold, opposites, predicate_of

LONGEST = 160  # characters: nobody asks for one slot in more
_MOST_PHRASES = 60
_LONGEST_PHRASE = 3  # words
_LONGEST_RUN = 8  # Chinese characters
_OWN = ("user", "team", "project")
_AGENT = ("assistant", "agent", "you", "助手", "你")
_PET = "pet"
_PERSONS = ("relatives", "people", "elders")

# What every question for a fact has: known without reading the data.
_QUESTION = defer(
    r"[?？]|\b(?:what|which|who|whom|whose|where|when|how|do you"
    r"|(?:remind|tell|give|show) me)\b|[什啥哪谁多几何吗]|告诉我|提醒我|记得|知道|来着",
    re.I,
)
_WORD = defer(r"[^\W_\u3400-\u9fff]+")
_ASCII_WORD = defer(r"[^\W_]+")
_RUN = defer(r"[^\W_]*[\u3400-\u9fff][^\W_]*")
_BREAK = defer(r"\n {0,4}")
_BEFORE_KIN = "(?<![^我的家们咱俺大小二三亲])"  # 妈 alone is a relative after 我, and none in 姑妈
_stem = Stemmer.Stemmer("english", 0).stemWord

Units = frozenset[str]


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """What a question asks for, to be looked up among the slots of memories.

    ``own`` are the subjects that "I" or "you" stand for, ``relations`` the people of the user's
    life it names, each with its words, ``phrases`` what may be another subject, or a predicate by
    its own name. ``asked`` are predicates with the words that ask for them, ``who`` the words that
    ask who somebody is, ``words`` all of the question's, ``content`` those that an answer has to
    account for.
    """

    own: tuple[str, ...]
    relations: Mapping[str, Units]
    phrases: Mapping[str, Units]
    asked: Mapping[str, Units]
    who: Units
    words: Units
    content: Units
    past: bool

    def asking(self, predicate: str) -> Units | None:
        """The words that ask for a predicate; None where it is not asked for."""
        named = units(predicate)
        return self.asked.get(predicate) or (named if named and named <= self.words else None)

    def asking_opposite(self, predicate: str) -> Units | None:
        """The words that ask for the opposite: "I hate cilantro" answers "do I like cilantro?"."""
        return next(filter(None, map(self.asked.get, opposites(predicate))), None)


def read_slot_question(query: str) -> SlotQuestion | None:
    """The slot a query asks for; None where it asks for no fact, or names nothing to look up."""
    if len(query) > LONGEST or not _QUESTION.search(query):
        return None
    vocabulary = _load_vocabulary()
    text = vocabulary.lead.sub(" ", fold(query.replace("’", "'")))
    if vocabulary.advice.search(text):
        return None
    latin = [(word, _unit(word)) for word in _words(text)]
    han = _letters(text)
    words = frozenset(unit for _, unit in latin) | han
    rest = vocabulary.free_runs.sub(" ", text) if han else ""
    telling = [(word, unit) for word, unit in latin if unit not in vocabulary.free]
    mine = vocabulary.mine.search(text) is not None
    phrases = dict(islice(chain(_join_words(telling), _runs(rest)), _MOST_PHRASES))
    relations = dict(vocabulary.relations_in(text, latin)) if mine else {}
    asked = vocabulary.find_asked(text if han else "", words)
    favourite = any(word in text for word in vocabulary.favourite)
    for phrase, parts in phrases.items():
        asked.setdefault(predicate_of(phrase), parts)
        if favourite:
            asked.setdefault(f"favorite {phrase}", parts | units(" ".join(vocabulary.favourite)))
    if not asked and not relations:
        return None
    return SlotQuestion(
        own=_OWN if mine else _AGENT if vocabulary.agent.search(text) else (),
        relations=relations,
        phrases=phrases,
        asked=asked,
        who=units(" ".join(vocabulary.who.findall(text))),
        words=words,
        content=frozenset(unit for _, unit in telling) | _letters(rest),
        past=asks_of_past(text),
    )


def units(text: str) -> Units:
    """The words of a text in one form, and its Chinese characters."""
    folded = fold(text)
    return frozenset(map(_unit, _words(folded))) | _letters(folded)


def _words(text: str) -> list[str]:
    """The words between other letters than Chinese ones."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def _letters(text: str) -> Units:
    """The Chinese letters; to compile a pattern with a range of so many takes a millisecond."""
    letters = "" if text.isascii() else text
    return frozenset(letter for letter in letters if "\u3400" <= letter <= "\u9fff")


@lru_cache(maxsize=2_000)
def _unit(word: str) -> str:
    stem: str = _stem(word.replace("our", "or"))  # colour and color
    return stem


def _join_words(words: Sequence[tuple[str, str]]) -> Iterator[tuple[str, Units]]:
    """One word or several in a row, with their units, the longest first."""
    for size in range(min(_LONGEST_PHRASE, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            stretch, in_units = zip(*words[start : start + size], strict=True)
            phrase, parts = " ".join(stretch), frozenset(in_units)
            yield phrase, parts
            if "our" in phrase:
                yield phrase.replace("our", "or"), parts


def _runs(text: str) -> Iterator[tuple[str, Units]]:
    """Runs of Chinese characters, and the parts of each that may be a name, the longest first."""
    for run in () if text.isascii() else _RUN.findall(text):
        yield run, units(run)
        for size in range(min(_LONGEST_RUN, len(run) - 1), 1, -1):
            for start in range(len(run) - size + 1):
                name = run[start : start + size]
                yield name, frozenset(name)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The words of questions, made ready for search."""

    advice: re.Pattern[str]
    lead: re.Pattern[str]
    mine: re.Pattern[str]
    agent: re.Pattern[str]
    who: re.Pattern[str]
    favourite: tuple[str, ...]
    free: Units
    free_runs: re.Pattern[str]
    word_asks: Mapping[str, Sequence[tuple[Units, str]]]  # by the longest of their words
    run_asks: tuple[tuple[tuple[str, ...], str, Units], ...]
    word_relations: Mapping[str, str]
    run_relations: re.Pattern[str]
    relations: Mapping[str, str]
    same: Mapping[str, frozenset[str]]

    def find_asked(self, text: str, words: Units) -> dict[str, Units]:
        """The predicates that a question has words for, with those words."""
        asked: dict[str, Units] = {}
        for word in words:
            for needed, predicate in self.word_asks.get(word, ()):
                if needed <= words:
                    asked[predicate] = asked.get(predicate, frozenset()) | needed
        for parts, predicate, needed in self.run_asks if text else ():
            if parts[0] in text and parts[-1] in text:
                asked[predicate] = asked.get(predicate, frozenset()) | needed
        return asked

    def relations_in(
        self, text: str, latin: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[str, Units]]:
        """The people and pets of the user's life that a question names.

        The word for a pet is left to be found in the statement: a dog's name is no cat's.
        """
        phrases = (phrase for phrase, _ in _join_words(latin) if phrase in self.word_relations)
        for phrase in chain(phrases, () if text.isascii() else self.run_relations.findall(text)):
            relation = self.word_relations.get(phrase) or self.relations[phrase]
            words = units(phrase)
            if relation == _PET and phrase != _PET:
                words = frozenset()
            yield relation, words
            for other in self.same.get(relation, ()):
                yield other, words


@cache
def _load_vocabulary() -> _Vocabulary:
    """Read at first use, in a few milliseconds."""
    tree = tomllib.loads(read_packaged("questions"))
    languages = [tree[code] for code in list_languages() if code in tree]
    favourite, free = _list_words(languages, "favourite"), _list_words(languages, "free")
    persons = _tables(_PERSONS)
    pets = {**_tables(("pets",)), **dict.fromkeys(_list_words(languages, "pets"), _PET)}
    relations = {fold(word): relation for word, relation in {**pets, **persons}.items()}
    asks = [
        (way, what)
        for language in languages
        for what, ways in language.get("asks", {}).items()
        for way in ways
    ]
    asks += list(_tables(("sorts",)).items())
    for word, sort in _tables(("favourites",)).items():
        asks += [(f"{most} {word}", f"favorite {sort}") for most in favourite]
    han = [(way.split(), predicate_of(what)) for way, what in asks if _letters(way)]
    latin: dict[str, list[tuple[Units, str]]] = {}
    for way, what in asks:
        if not _letters(way):
            needed = units(way)
            latin.setdefault(max(needed, key=len), []).append((needed, predicate_of(what)))
    same: dict[str, set[str]] = {}
    for relation, others in tree["same"].items():
        for other in others:
            same.setdefault(relation, set()).add(other)
            same.setdefault(other, set()).add(relation)
    return _Vocabulary(
        advice=_either(_texts(languages, "advice")),
        lead=_either(_texts(languages, "lead")),
        mine=_either(map(_whole_words, _list_words(languages, "own"))),
        agent=_either(map(_whole_words, _list_words(languages, "agent"))),
        who=_either(map(_whole_words, _texts(languages, "who"))),
        favourite=favourite,
        free=frozenset(_unit(word) for word in free if not _letters(word)),
        free_runs=defer("|".join(sorted(filter(_letters, free), key=len, reverse=True))),
        word_asks=latin,
        run_asks=tuple((tuple(parts), what, units("".join(parts))) for parts, what in han),
        word_relations={" ".join(_words(w)): r for w, r in relations.items() if not _letters(w)},
        run_relations=defer(
            "|".join(
                f"{_BEFORE_KIN}{word}" if len(word) == 1 and word in persons else word
                for word in sorted(relations, key=len, reverse=True)
                if _letters(word)
            )
        ),
        relations=relations,
        same={relation: frozenset(others) for relation, others in same.items()},
    )


def _tables(names: Iterable[str]) -> dict[str, str]:
    return {
        word: meant
        for code in list_languages()
        for name in names
        for word, meant in read_packaged_table(code, name).items()
    }


def _texts(languages: Sequence[Mapping[str, str]], name: str) -> list[str]:
    """What each language has under a name, where it has it."""
    return [language[name] for language in languages if name in language]


def _list_words(languages: Sequence[Mapping[str, str]], name: str) -> tuple[str, ...]:
    return tuple(word for text in _texts(languages, name) for word in text.split())


def _whole_words(pattern: str) -> str:
    """Chinese has no spaces between words."""
    return pattern if _letters(pattern) else rf"\b(?:{pattern})\b"


def _either(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_BREAK.sub('', pattern)})" for pattern in patterns))

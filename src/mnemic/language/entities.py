"""Names in a text that are worth searching for as they are written.

By rule, and rather too few than too many: a wrong name costs a search and pushes out a right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mnemic.language.truncation import two_ends
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer

_FILE = WordFile("mnemic.language", "names.toml")
pattern, words = _FILE.pattern, _FILE.words
_CHINESE = "named called called_by_surname beside titled familiar familiar_beside".split()

LONGEST = 8_000  # characters read at each end of a long text

_SENTENCE_END = defer(r"(?:^|[.!?。！？\n:：;；])[\s\"'“”‘’(（\[*#>-]*$")
_TITLE = defer(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e)\.\s*$")
_HAN = defer("[\u4e00-\u9fff]")
_WORD = defer(r"[A-Za-z]+")
_POSSESSIVE = defer(r"['’]s$")
_HEADLINE_WORDS, _HEADLINE_SHARE = 6, 0.8

Place = tuple[int, int, str]


def find_entities(text: str) -> tuple[str, ...]:
    """Names, quoted words, titles, files, addresses, versions, identifiers: each once, in order."""
    names: dict[str, None] = {}
    for stretch in two_ends(text, LONGEST):
        places = _disjoint([*_find_things(stretch), *_find_names(stretch), *_find_chinese(stretch)])
        names.update((name, None) for _, _, name in places)
    return tuple(names)


def _disjoint(places: list[Place]) -> Iterator[Place]:
    """Of those that overlap the one that begins first, and of those the longest."""
    reached = 0
    for start, end, name in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= reached:
            reached = end
            yield start, end, name


def _find_things(text: str) -> Iterator[Place]:
    if not pattern("maybe_things").search(text):
        return
    shouted = _is_headline(text, str.isupper)
    for match in pattern("things").finditer(text):
        kind, name = match.lastgroup or "", match.group()
        if kind == "quoted":
            name = name[1:-1].strip()
        elif kind == "url":
            name = name.rstrip(".,;:!?)'")
        elif kind == "acronym" and shouted:
            continue
        if name and name.lower() not in words("not_things"):
            yield match.start(), match.end(), name


def _find_names(text: str) -> Iterator[Place]:
    if _is_headline(text, lambda word: word[0].isupper()):
        return
    for match in pattern("names").finditer(text):
        start, parts = match.start(), match.group().split(" ")
        first = _begins_sentence(text, start)
        while parts and _POSSESSIVE.sub("", parts[0]).lower() in words("common"):
            start += len(parts.pop(0)) + 1
            first = False
        while parts and _POSSESSIVE.sub("", parts[-1]).lower() in words("common") | words(
            "particles"
        ):
            parts.pop()
        written = " ".join(parts)
        name = _POSSESSIVE.sub("", written)
        if name and (not first or len(parts) > 1 or _is_name(name, written, text, match.end())):
            yield start, start + len(written), name


def _is_headline(text: str, is_raised: Callable[[str], bool]) -> bool:
    """Whether capitals say nothing here, because nearly every word has them."""
    written = [word for word in _WORD.findall(text) if len(word) > 1]
    raised = sum(map(is_raised, written))
    return len(written) >= _HEADLINE_WORDS and raised > _HEADLINE_SHARE * len(written)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start]
    if start > len(before) and not _SENTENCE_END.search(before[1:]):
        return False
    return bool(_SENTENCE_END.search(before)) and not _TITLE.search(before)


def _is_name(name: str, written: str, text: str, end: int) -> bool:
    """Whether one word that begins a sentence is a name all the same."""
    if name != written or _HAN.match(text[end : end + 2].strip()):
        return True  # Anna's; or a Latin word in Chinese, where sentences have no capitals
    tokens = _WORD.findall(text)
    return tokens.count(name) > 1 and name.lower() not in tokens


def _find_chinese(text: str) -> Iterator[Place]:
    for form in () if text.isascii() else _CHINESE:
        for match in pattern(form).finditer(text):
            name = match.group(1)
            if name[:2] not in words("not_names") and name not in words("not_names"):
                yield match.start(1), match.end(1), name

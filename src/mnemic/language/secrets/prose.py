"""Whether words after the name of a secret are its value, or go on with a sentence about it.

After "the password is" a sentence goes on with a state, a place, a number of characters or a
clause; a password stands there as a word that no list of ``words.txt`` has.
"""

from __future__ import annotations

from mnemic.language.secrets.data_files import load_words, pattern
from mnemic.language.secrets.randomness import is_expression, is_lookup, is_placeholder

_MOST_WORDS = 8
_LONGEST = 64


def is_state(word: str, *, pinyin: bool = False) -> bool:
    """Whether a word (in lower case) says how something is, instead of being its value.

    The endings of English say nothing about ``pinyin``.
    """
    return word in load_words("states") or (
        not pinyin
        and pattern("state_endings").match(word) is not None
        and not word.endswith(tuple(load_words("nouns")))
    )


def is_han_value(phrase: str) -> bool:
    """Whether Chinese characters after 密码是 are the password and not a sentence about it."""
    return (
        2 <= len(phrase) <= 12
        and pattern("han_first").match(phrase) is None
        and pattern("han_never").search(phrase) is None
        and phrase[-1] not in "项值串型错对位个次年月里上中下内外处用存改换发锁吧啊"
    )


def is_literal(value: str) -> bool:
    """Whether a word is itself, and no variable, template, path or placeholder."""
    return (
        any(map(str.isalpha, value))
        and not is_placeholder(value)
        and not is_lookup(value)
        and value[0] not in "$<{[(%@!&?/\\~|*#-"
        and "://" not in value
        and set(value.lower()) != {"x"}
    )


def is_quoted_value(value: str) -> bool:
    """Inside quotation marks a value may be any word; a sentence is none."""
    words = value.lower().split()
    if not words or len(value) < 3 or not is_literal(value):
        return False
    if len(words) == 1:
        return not load_words("technical") & {*words} and not load_words("quoted_states") & {*words}
    glue = sum(word in load_words("function") for word in words)
    return (
        len(words) <= _MOST_WORDS
        and glue * 2 <= len(words)
        and not _holds_any(words, "subjects", "technical")
        and not is_state(words[-1])
    )


def is_plain_word(word: str) -> bool:
    """Whether a word (in lower case) can be a value where a sentence could go on."""
    return (
        len(word) > 2
        and "'" not in word
        and not _holds_any([word], "function", "verbs", "technical", "subjects")
        and not is_state(word)
    )


def read_words(
    text: str, at: int, link: str, *, single: bool, sentence: bool = False, pinyin: bool = False
) -> tuple[int, int]:
    """The start and end of a value of plain words; (0, 0) where a sentence goes on.

    A passphrase may be a ``sentence``, but none about passphrases.
    """
    if sentence and (match := pattern("sentence").match(text, at)):
        words = match.group().split()
        if not _holds_any(words, "subjects", "verbs", "technical", "about"):
            return match.span()
    tokens = _tokens(text, at)
    if not tokens:
        return 0, 0
    if len(tokens) > 1 and not single and not pattern("field").match(text, tokens[0][1]):
        if text[slice(*tokens[-1])].lower() in load_words("openers"):
            tokens.pop()
        if len(tokens) > 1:
            return _several(text, tokens, link)
    return _single(text, *tokens[0], link, pinyin=pinyin)


def _tokens(text: str, at: int) -> list[tuple[int, int]]:
    """The words up to the end of the clause, or to the first that is no part of a value."""
    tokens: list[tuple[int, int]] = []
    while len(tokens) <= _MOST_WORDS and (match := pattern("token").match(text, at)):
        start, end = match.span()
        while end > start and text[end - 1] in ".:*_'’":
            end -= 1
        word = text[start:end].lower()
        if not word or len(word) > _LONGEST or word in load_words("function") or word in "-–—":
            break
        tokens.append((start, end))
        if end < match.end() or not (space := pattern("spaces").match(text, end)):
            break
        at = space.end()
    return tokens


def _single(text: str, start: int, end: int, link: str, *, pinyin: bool) -> tuple[int, int]:
    value = text[start:end]
    word = value.lower().replace("’", "'")
    good = (
        len(word) > 2
        and "'" not in word
        and is_literal(value)
        and not _holds_any([word], "verbs", "technical")
        and not is_state(word, pinyin=pinyin)
        and (link == "assigned" or word not in load_words("subjects"))
        and _ends_clause(text, end, link)
        and (link != "assigned" or value.startswith("www.") or not is_expression(value))
    )
    return (start, end) if good else (0, 0)


def _ends_clause(text: str, end: int, link: str) -> bool:
    if pattern("stops").match(text, end):
        return True
    rest = pattern("spaces").match(text, end)
    at = rest.end() if rest else end
    if pattern("han").match(text, at):
        return pattern("accepted_han").match(text, at) is not None
    if link == "assigned":
        return pattern("field").match(text, end) is not None
    return opens_clause(text, end)


def opens_clause(text: str, end: int) -> bool:
    """Whether a word that may follow a value comes next."""
    rest = pattern("spaces").match(text, end)
    follower = pattern("token").match(text, rest.end()) if rest else None
    return follower is not None and follower.group().lower().rstrip(".:") in load_words("openers")


def _several(text: str, tokens: list[tuple[int, int]], link: str) -> tuple[int, int]:
    start, end = tokens[0][0], tokens[-1][1]
    words = [text[s:e].lower() for s, e in tokens]
    if len(tokens) > _MOST_WORDS or not all(pattern("word").match(text[s:e]) for s, e in tokens):
        # A value in digits and signs shows itself; only words need what stands around them.
        return 0, 0
    good = (
        not _holds_any(words, "subjects", "verbs", "technical")
        and not any("'" in word for word in words)
        and not is_state(words[-1])
        and not (link == "beside" and (is_state(words[0]) or len(words) > 3))
        and len({text[s].isupper() for s, _ in tokens}) == 1
        and (pattern("stops").match(text, end) or opens_clause(text, end))
    )
    return (start, end) if good else (0, 0)


def _holds_any(words: list[str], *names: str) -> bool:
    return any(word in load_words(name) for name in names for word in words)

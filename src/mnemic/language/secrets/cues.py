"""Secrets that a word before them gives away: "the wifi password is sunshine", 密码是芝麻开门.

A cue (``cues.tsv``) names a kind of secret; a link joins it to a value (is, :, =, →, 是, 改成, the
next line, nothing); and a judgment says whether what stands there is a value of this kind, or a
sentence that goes on. A password in letters and digits shows itself, wherever its cue is (told.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Literal, NamedTuple

from mnemic.language.secrets.data_files import load_words, pattern
from mnemic.language.secrets.formats import Format
from mnemic.language.secrets.prose import (
    is_han_value,
    is_literal,
    is_plain_word,
    is_quoted_value,
    read_words,
)
from mnemic.language.secrets.randomness import Bounds, looks_like_password, looks_random

Span = tuple[str, int, int]
# said: "the password is …"; beside: "user bob, password …"; assigned: "password: …";
# flagged: "--password …", where whatever follows is the value.
Link = Literal["said", "beside", "assigned", "flagged"]
CUES = ("cues.tsv",)
_MARKS = {"pass": "password", "answer": "security_answer"}
_CHOSEN = ("password", "pass", "answer")  # by a person, so that it may be plain words
_LOOK_BACK = 60
_JUDGED = 512  # characters of a value that tell what it is
_CLOSING = dict(zip("\"'`“‘「『«", "\"'`”’」』»", strict=True))


class _Cue(NamedTuple):
    kind: str
    word: str
    end: int
    before: str

    @property
    def is_han(self) -> bool:
        return not self.word.isascii()

    def follows(self, name: str) -> bool:
        """Whether one of these words stands right before the cue, or is its first part."""
        match = pattern("last_part").search(self.before)
        return match is not None and match[1].lower() in load_words(name)


def find_cued(text: str, forms: list[Format], bounds: Bounds) -> Iterator[Span]:
    """Values that stand where one of these cues says that a secret does."""
    for form in forms:
        mark, taken = _MARKS.get(form.name, form.name), 0
        for match in re.finditer(form.pattern, text, re.A):
            start = match.start()
            if start < taken:
                continue
            if match.lastindex:  # the pattern says where the value is
                if all(map(_is_plain, filter(None, match.groups()))):
                    yield mark, *match.span(match.lastindex)
                continue
            before = text[max(0, start - _LOOK_BACK) : start]
            kind = form.name
            if kind == "key" and pattern("network").search(before):
                kind, mark = "password", "password"
            cue = _Cue(kind, match[0], match.end(), before)
            for first, last in _values(text, cue, bounds):
                yield mark, first, last
                taken = last


def _is_plain(value: str) -> bool:
    han = not value.isascii()
    return is_literal(value) and (is_han_value(value) if han else is_plain_word(value.lower()))


def _values(text: str, cue: _Cue, bounds: Bounds) -> Iterator[tuple[int, int]]:
    for at, link in chain(_links(text, cue), _later_links(text, cue)):
        span = _read(text, at, link, cue, bounds)
        if span[1]:
            yield span
            more = pattern("alike").match(text, span[1])
            if more and (span := _read(text, more.end(), "said", cue, bounds))[1]:
                yield span
            return


def _links(text: str, cue: _Cue) -> Iterator[tuple[int, Link]]:
    """The places where a value may start, and what links it to its cue."""
    at, before = cue.end, cue.before
    if cue.is_han and not pattern("han_goes_on").match(text, at):
        return
    word = before.rpartition(" ")[2].lower()
    option = (word.startswith("--") and "disabled" not in word) or before.lower().endswith(
        "require"
    )
    if match := pattern("assigned").match(text, at):
        # A variable of the shell: its value ends at the next space.
        shell = (cue.word.isupper() and match.group() == "=") or option
        yield match.end(), "flagged" if shell else "assigned"
        return
    match = pattern("quoted").match(text, at)
    if match and not before.endswith(('="', "='", "(")) and cue.kind != "pass":
        yield match.end(), "said"
    if option:
        if match := pattern("beside").match(text, at):
            yield match.end(), "flagged"
        return
    if pattern("speaks").match(text, at):
        match = pattern("assigned_of").match(text, at) or pattern("said").match(text, at)
        if not match and pattern("changed").search(before):
            match = pattern("to").match(text, at)
        if match:
            yield match.end(), "said"
            return
    if not text.isascii() and (match := pattern("said_han").match(text, at)):
        yield match.end(), "said"
        return
    match = pattern("beside").match(text, at)
    if (match or cue.is_han) and cue.word != "passwd":  # which is a command, too
        account = pattern("account").search(before) and pattern("clause_start").search(before)
        if cue.kind != "pass" or account:
            yield match.end() if match else at, "beside"


def _later_links(text: str, cue: _Cue) -> Iterator[tuple[int, Link]]:
    """A place in the next clause: "…, it's now sunshine"."""
    later = pattern(f"later_{cue.kind}").match(text, cue.end) if cue.kind in _CHOSEN else None
    if later:
        yield later.end(), "said"


def _read(text: str, at: int, link: Link, cue: _Cue, bounds: Bounds) -> tuple[int, int]:
    """The start and end of the value at this place; (0, 0) where something else stands."""
    if cue.kind not in _CHOSEN:
        return _read_key(text, at, link, cue, bounds)
    if cue.is_han and (han := _read_han(text, at, link, cue)) != (0, 0):
        return han
    if text[at : at + 1] in _CLOSING or link == "flagged":
        return _read_bounded(text, at)
    if link == "beside" and not (cue.is_han or pattern("clause_start").search(cue.before)):
        return 0, 0
    if not cue.is_han or "!" <= text[at : at + 1] <= "~":
        single = cue.kind == "pass" or (cue.is_han and link == "beside")
        pinyin = cue.is_han and not pattern("speaks").match(text, cue.end)  # no English sentence
        sentence = cue.word.lower().endswith("phrase") and link == "assigned"
        return read_words(text, at, link, single=single, sentence=sentence, pinyin=pinyin)
    return 0, 0


def _read_bounded(text: str, at: int) -> tuple[int, int]:
    """A value that quotation marks or spaces bound."""
    if closing := _CLOSING.get(text[at : at + 1]):
        end = text.find(closing, at + 1, at + 66)
        good = end > at + 1 and is_quoted_value(text[at + 1 : end])
        return (at + 1, end) if good else (0, 0)
    match = pattern("option").match(text, at)
    if not match or match[0].lower() in load_words("subjects") or not is_literal(match[0]):
        return 0, 0
    return match.span()


def _read_han(text: str, at: int, link: Link, cue: _Cue) -> tuple[int, int]:
    """A value in Chinese characters, or in digits."""
    if cue.kind == "password":
        for name in ("digits", "numerals"):
            if value := pattern(name).match(text, at):
                return value.span()
    if (link == "beside" and cue.kind != "answer") or pattern("figure").search(cue.before):
        return 0, 0
    if phrase := pattern("han_phrase").match(text, at):
        start, end = phrase.span(1)
        stop = pattern("han_stop").match(text, end)
        end -= text[end - 1] in "哦啊呀哈吧"
        if stop and is_han_value(text[start:end].rstrip("0123456789")):
            return start, end
    return 0, 0


def _read_key(text: str, at: int, link: Link, cue: _Cue, bounds: Bounds) -> tuple[int, int]:
    """A value that a machine made."""
    opened = pattern("open").match(text, at)
    start = opened.end() if opened else at
    match = pattern("strong").match(text, start)
    owned = cue.is_han or not (cue.before.endswith("[") or cue.follows(f"not_{cue.kind}"))
    if not match or not owned:
        return 0, 0
    value = match.group() if opened else pattern("cut").sub("", match.group()).rstrip(".,;:?*_")
    if not _is_key(value, link, cue, bounds, quoted=bool(opened)):
        return 0, 0
    end = start + len(value)
    rest = pattern("rest").match(text, end) if len(value) == _JUDGED else None
    return start, rest.end() if rest else end


def _is_key(value: str, link: Link, cue: _Cue, bounds: Bounds, *, quoted: bool) -> bool:
    if pattern("code").search(value) or (value.isalpha() and value[1:].islower()):
        return False
    if looks_random(value, bounds, uuid=cue.kind != "token" and (link != "beside" or cue.is_han)):
        return cue.kind != "key" or not value.isalpha() or cue.follows("key_owners")
    return cue.is_han and looks_like_password(value, quoted=quoted, digits=4)

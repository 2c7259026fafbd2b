"""Secrets that a word before them gives away: "the wifi password is sunshine", 密码是芝麻开门.

There is one grammar for all of them. A cue (``cues.tsv``) names a kind of secret; a link joins it
to a value (is, :, =, →, 是, 改成, the next line, nothing); and a judgment says whether what stands
there is a value of this kind, or a sentence that goes on. Where other words come between (told), or
the value comes first, only a value that no sentence would hold counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Literal, NamedTuple

from mnemic.language.secrets.data_files import load_words, pattern
from mnemic.language.secrets.formats import Format, select_formats
from mnemic.language.secrets.prose import (
    is_han_value,
    is_literal,
    is_plain_word,
    is_quoted_value,
    read_words,
)
from mnemic.language.secrets.randomness import (
    Bounds,
    is_expression,
    is_placeholder,
    looks_like_password,
    looks_random,
    looks_strong,
)

Span = tuple[str, int, int]
# said: "the password is …"; beside: "user bob, password …"; assigned: "password: …";
# flagged: "--password …", where whatever follows is the value; told: later in the sentence.
Link = Literal["said", "beside", "assigned", "flagged", "told"]
CUES = ("cues.tsv",)
TOLD = (*CUES, "told.tsv")  # for texts with digits
_MARKS = dict.fromkeys(("pass", "login", "network"), "password") | {"answer": "security_answer"}
_CHOSEN = ("password", "pass", "answer", "login")  # by a person, so that it may be plain words
_TOLD = ("password", "answer", "code", "network")
_WORDS_AFTER = {"password": ":：", "answer": ",，"}  # late in a sentence
_LOOK_BACK = 60
_JUDGED = 512  # characters of a value that tell what it is
_CLOSING = dict(zip("\"'`“‘「『«", "\"'`”’」』»", strict=True))
_ARTICLES = ("the", "my", "new", "old")
_JOINS = ("and", "with", "use", "uses", "using", "by", "has", "enter", "type", "try")
_CLOSERS = {")": "(", "]": "[", "}": "{"}


class _Cue(NamedTuple):
    kind: str
    word: str
    start: int
    end: int
    before: str

    @property
    def is_han(self) -> bool:
        return not self.word.isascii()

    def follows(self, name: str) -> bool:
        """Whether one of these words stands right before the cue, or is its first part."""
        before = self.before.lower()
        return before[: -1 if before[-1:] in ("-", "_", " ") else None].endswith(ends_of(name))


@cache
def ends_of(name: str) -> tuple[str, ...]:
    """The words of a section, for ``str.endswith``."""
    return tuple(load_words(name))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.A)


def find_cued(text: str, folded: str, bounds: Bounds, *, digits: bool) -> list[Span]:
    """Values that stand where one of the cues says that a secret does."""
    forms = select_formats(text, folded, TOLD if digits else CUES)
    return list(_find(text, forms, bounds)) if forms else []


def _find(text: str, forms: list[Format], bounds: Bounds) -> Iterator[Span]:
    for form in forms:
        mark, taken = _MARKS.get(form.name, form.name), 0
        for match in _compile(form.pattern).finditer(text):
            start = match.start()
            if start < taken:
                continue
            if match.lastindex:  # the pattern says where the value is
                if is_literal(match[1]) and is_plain_word(match[1].lower()):
                    yield mark, *match.span(1)
                continue
            before = text[max(0, start - _LOOK_BACK) : start]
            kind = form.name
            if kind == "key" and pattern("network").search(before):
                kind, mark = "password", "password"
            cue = _Cue(kind, match[0], start, match.end(), before)
            if cue.word.lower() in ("code", "codes") and (  # of a lock or a check?
                cue.follows("not_code")
                or not pattern("opens").search(text, max(0, start - _LOOK_BACK), cue.end + 30)
            ):
                continue
            find = _pairs if cue.kind == "login" else _values
            for first, last in find(text, cue, bounds):
                yield mark, first, last
                taken = last


def _values(text: str, cue: _Cue, bounds: Bounds) -> Iterator[tuple[int, int]]:
    for at, link in chain(_links(text, cue), _told_links(text, cue), _links_before(text, cue)):
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
    if cue.kind in _TOLD[2:] or (cue.is_han and not pattern("han_goes_on").match(text, at)):
        return
    word = before.rpartition(" ")[2].lower()
    option = (word.startswith("--") and "disabled" not in word) or before.lower().endswith(
        "require"
    )
    if match := pattern("assigned").match(text, at):
        # A variable of the shell: its value ends at the next space.
        shell = (cue.word.isupper() and match.group() == "=") or option
        # Names in a row are variables: "user, password = split".
        if not (before.endswith(", ") and match.group().startswith(" =")):
            yield match.end(), "flagged" if shell else "assigned"
        return
    match = pattern("quoted").match(text, at)
    if match and not before.endswith(('="', "='", "(")) and _takes(match.group(), cue):
        yield match.end(), "said"
    if option:
        if match := pattern("beside").match(text, at):
            yield match.end(), "flagged"
        return
    if cue.kind != "pass" or not cue.follows("tickets"):
        yield from _spoken_links(text, cue)


def _spoken_links(text: str, cue: _Cue) -> Iterator[tuple[int, Link]]:
    at, before = cue.end, cue.before
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
        clear = cue.kind == "password" or before[-1:] != ":"
        if clear and (
            cue.kind != "pass" or (pattern("account").search(before) and _starts_clause(before))
        ):
            yield match.end() if match else at, "beside"


def _told_links(text: str, cue: _Cue) -> Iterator[tuple[int, Link]]:
    """Later places of the sentence, or of one that goes on with "it's", where a value may start."""
    sentence = pattern("told_sentence").match(text, cue.end) if cue.kind in _TOLD else None
    if sentence is None:
        return
    if cue.kind == "password" and (later := pattern("later").match(text, cue.end)):
        yield later.end(), "said"
    if cue.is_han or text[cue.end : cue.end + 1] == " ":
        yield cue.end + (text[cue.end : cue.end + 1] == " "), "told"
    again = text.find(cue.word, cue.end, sentence.end())
    end = again if again >= 0 else sentence.end()
    off = pattern("off").search(text, cue.end, end)
    for link in pattern("told").finditer(text, cue.end, off.start() if off else end):
        yield link.end(), "told"
        if link[0].strip() in _WORDS_AFTER.get(cue.kind, ()):
            yield link.end(), "assigned" if cue.kind == "password" else "said"


def _links_before(text: str, cue: _Cue) -> Iterator[tuple[int, Link]]:
    """The places before the cue, from the nearest: "4410 opens it, that is the door code"."""
    pointer = pattern("points").search(cue.before) if cue.kind in _TOLD[:3] else None
    if pointer is None or pattern("off").search(cue.before):
        return
    first, last = cue.start - len(cue.before), cue.start - len(pointer[0])
    if word := pattern("last").search(text, first, last):
        yield word.start(), "told"
    if pointer.lastgroup and pattern("stops").match(text, cue.end):  # "that is the …", 这是…
        if word and cue.kind == "password":
            yield word.start(), "said"
        for link in reversed([*pattern("told").finditer(text, first, last)]):
            yield link.end(), "told"


def _starts_clause(before: str) -> bool:
    """Whether a name beside its value starts a clause or follows the name of an account."""
    tail = before.rstrip()
    head, _, word = tail.rpartition(" ")
    if word.lower() in _ARTICLES:
        tail = head.rstrip()
        head, _, word = tail.rpartition(" ")
    if not tail or tail[-1] in "\n,;:.?!(|，。；" or word == "/" or word.lower() in _JOINS:
        return True
    if before[-1:] == "\n" or head[-1:] == ":" or head.rpartition(" ")[0][-1:] == ":":
        return True
    return pattern("named_account").search(tail) is not None


def _takes(link: str, cue: _Cue) -> bool:
    """Whether a quoted word after the name is its value, and not the next word of a list."""
    if link == "(":
        return cue.before.lower().endswith(("set", "set_"))
    if link.startswith(('",', "',")):
        return cue.word.isupper()
    return cue.kind != "pass"


def _read(text: str, at: int, link: Link, cue: _Cue, bounds: Bounds) -> tuple[int, int]:
    """The start and end of the value at this place; (0, 0) where something else stands."""
    if link == "told" or cue.kind == "code":
        return _read_told(text, at, cue)
    opened = pattern("open").match(text, at)
    start = opened.end() if opened else at
    if (match := pattern("strong").match(text, start)) and _is_owner(cue, link):
        value = _trim(match.group(), quoted=bool(opened))
        plain = value.isalpha() and value[1:].islower()
        if not plain and _is_strong(
            text, start, value, link, cue, quoted=bool(opened), bounds=bounds
        ):
            end = start + len(value)
            rest = pattern("rest").match(text, end) if len(value) == _JUDGED else None
            return start, rest.end() if rest else end
    if cue.kind not in _CHOSEN:
        return 0, 0
    if cue.is_han and (han := _read_han(text, at, link, cue)) != (0, 0):
        return han
    if text[at : at + 1] in _CLOSING or link == "flagged":
        return _read_bounded(text, at)
    if link == "beside" and not (cue.is_han or _starts_clause(cue.before)):
        return 0, 0
    if not cue.is_han or "!" <= text[at : at + 1] <= "~":
        single = cue.kind == "pass" or (cue.is_han and link == "beside")
        pinyin = cue.is_han and not pattern("speaks").match(text, cue.end)  # no English sentence
        sentence = cue.word.lower().endswith("phrase") and link == "assigned"
        return read_words(text, at, link, single=single, sentence=sentence, pinyin=pinyin)
    return 0, 0


def _read_told(text: str, at: int, cue: _Cue) -> tuple[int, int]:
    """A value that no sentence would hold: digits, odd characters, or words in quotation marks."""
    opened = pattern("open").match(text, at)
    start = opened.end() if opened else at
    if cue.kind != "network" and (number := pattern("number").match(text, start)):
        return number.span()
    if match := pattern("strong").match(text, start):
        value = _trim(match.group(), quoted=bool(opened))
        odd = pattern("odd").match(value) and not (value.islower() and is_expression(value))
        if odd and looks_like_password(value, quoted=True, digits=99):
            return start, start + len(value)
    return _read_bounded(text, at) if opened and cue.kind in _CHOSEN else (0, 0)


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


def _is_owner(cue: _Cue, link: Link) -> bool:
    """Whether what stands before the word leaves it the name of a secret."""
    if cue.is_han or cue.kind in _CHOSEN:
        return True
    if cue.word.strip('"_').lower() in ("ak", "sk") and link not in ("assigned", "flagged"):
        return False
    return not cue.before.endswith("[") and not cue.follows(f"not_{cue.kind}")


def _is_strong(
    text: str, start: int, value: str, link: Link, cue: _Cue, *, quoted: bool, bounds: Bounds
) -> bool:
    """Whether a value shows by itself that it is one."""
    chosen = cue.kind in _CHOSEN
    if not chosen and pattern("code").search(value):
        return False
    if not chosen and not cue.is_han and len(value) < bounds.length:
        return cue.kind == "secret" and link != "beside" and _is_mixed(value)
    if cue.kind == "pass" and link in ("said", "beside") and not looks_strong(value):
        return False
    if not quoted and not cue.is_han and link in ("assigned", "flagged") and is_expression(value):
        return False
    beside = link == "beside" and not cue.is_han
    if looks_random(value, bounds, uuid=not beside and cue.kind != "token"):
        return cue.kind != "key" or not value.isalpha() or cue.follows("key_owners")
    if not (chosen or cue.is_han) or (beside and not looks_strong(value)):
        return False
    ruled = not quoted and "|" in value and value.partition("|")[0] in load_words("quoted_states")
    counted = value.isdigit() and pattern("counted").match(text, start + len(value))
    if ruled or counted:  # "required|min:8", "12 characters"
        return False
    return looks_like_password(value, quoted=quoted, digits=4)


def _is_mixed(value: str) -> bool:
    return (
        looks_strong(value) or pattern("leet").search(value) is not None
    ) and not is_placeholder(value)


def _trim(value: str, *, quoted: bool) -> str:
    """The value without what belongs to the sentence or to the next field."""
    if not quoted:
        value = pattern("cut").sub("", value).rstrip(".,;:?*_")
    while value and (opener := _CLOSERS.get(value[-1])) and opener not in value:
        value = value[:-1].rstrip(".,;:?")
    return value


def _pairs(text: str, cue: _Cue, bounds: Bounds) -> Iterator[tuple[int, int]]:
    """The second of a name and a password: "login for staging: admin / …"."""
    link = pattern("pair").match(text, cue.end)
    at = link.start("pairs") if link else len(text)
    while match := pattern("one_pair").match(text, at):
        value = match["value"].rstrip(".!")
        if not _is_login(match["user"], match["joint"].strip(), value):
            return
        if cue.word.lower().startswith(("user", "acc")) and not looks_strong(value):
            return  # a list of people, more likely
        yield match.start("value"), match.start("value") + len(value)
        more = pattern("more").match(text, match.end())
        at = more.end() if more else len(text)


def _is_login(user: str, joint: str, value: str) -> bool:
    name, word = user.lower(), value.lower()
    if not is_literal(value) or is_placeholder(value) or not is_plain_word(word):
        return False
    common = name in load_words("users")
    if not (common or is_plain_word(name)) or word in load_words("function"):
        return False
    if joint in ("/", "|"):
        return common or user == name or looks_strong(value)
    if joint == "and":
        return common
    return "@" in user or (any(map(str.isdigit, value)) and not is_expression(value))

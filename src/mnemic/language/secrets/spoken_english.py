"""Passwords and security answers in plain English words: "the wifi password is sunshine".

A frame is the name of a secret, what links it to a value, and a judgement of whether what follows
reads as a value. Values that look like passwords by themselves are found by ``names``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.secrets.values import Kind, value_end

Span = tuple[str, int, int]
HINTS = ("pass", "pw")
ANSWER_HINTS = ("answer", "identified by")

_NOUN = re.compile(
    r"(?P<word>pass(?:word|wd|phrase|code|[ -]phrase)|pwd|(?<![a-z])pw(?![a-z])|_pw(?![a-z])"
    r"|pass(?![a-z]))(?!s\b)",
    re.I | re.A,
)
_NOTE = r"(?:\s?[(][^)\n]{0,24}[)])?"
_ASSIGNED = re.compile(
    rf"\\?[\"'`\]*_]{{0,3}}{_NOTE}[ \t]{{0,4}}(?::[ ]?(?:str|string|String)[ ]?(?==))?"
    r"(?:=>|:=|(?<![!=<>])=(?!=)|:(?![/:])|：|＝|->|→)(?:[*_ \t]{0,6})(?:\\(?=[\"']))?",
    re.A,
)
_SAID = re.compile(
    r"(?:\s(?:for|to|of|on|at|in)\s[^\n.:;,=?]{1,40}?|\syou\s\w{1,12})?"
    r"(?:['’]s|\s(?:is|was|will\sbe|becomes|remains))"
    r"(?:\s(?:now|still|just|currently|always|simply|again|actually|simply)){0,2}(?:\s?:)?\s{1,2}",
    re.I | re.A,
)
_CHANGED_TO = re.compile(
    r"(?:\s(?:for|of|on|at)\s[^\n.:;,=?]{1,30}?)?\s(?:was\s|is\s)?(?:changed\s|set\s|reset\s)?to\s",
    re.I | re.A,
)
_CHANGED = re.compile(r"\b(?:chang|set|updat|mak|made|switch|rotat|renew|reset)[^.!?\n]*$", re.I)
_LATER = re.compile(
    r"[^.!?\n=]{0,40}[,;:.!][ ](?:so[ ]|and[ ])?"
    r"(?:it['’]?s|it[ ]is|type(?:[ ]in)?|enter|the[ ]new[ ]one[ ]is|new[ ]one[ ]is)[ ]",
    re.I | re.A,
)
_QUOTED = re.compile(
    r"(?:\(|[\"'],[ ]?|[\"'][ ]value=|[ ](?:is[ ])?)(?=[\"'“「])|>(?=[^<>\s]{3,64}</)"
)
_ALIKE = re.compile(
    r"(?:,|[ ]and|[ ]but|,[ ]and)[ ](?:[A-Za-z]{1,12}['’]s|mine|hers|his|(?:the[ ])?(?:new|other"
    r"|old|second)[ ]one)"
    r"[ ](?:is|was)[ ]",
    re.I | re.A,
)
_BESIDE = re.compile(r"[ \t]{1,2}(?![-=|&])|\r?\n[ \t]{1,8}(?=login)")
# A name beside its value starts a clause or follows the name of an account.
_BESIDE_BEFORE = re.compile(
    r"(?:^|[\n,;:/.?!(|，。；]|\b(?:and|with|use|using)\b"
    r"|\b(?:user(?:[ ]?name)?|login|account|acct|id)[ :=]{1,3}\S{1,40},?)"
    r"\s{0,4}(?:(?:the|my|new|old)[ ])?$",
    re.I | re.A,
)
_ACCOUNT = re.compile(r"\b(?:user|login)\b", re.I)
_AS = re.compile(
    r"\b(?:use|used|using|type|enter|chose|picked|have)[ ](?P<value>[^\s,;.!?]{3,40})[ ]as[ ]"
    r"(?:my|the|a|our|her|his)[ ]"
    r"(?:[a-z]{1,12}[ ]){0,2}(?:password|passphrase|passcode|pw)\b",
    re.I | re.A,
)
_ANSWER = re.compile(
    r"(?:\b(?:security|secret)[ ](?:question[ ])?answer"
    r"|\banswer[ ]to[ ](?:my|the|his|her|our)[ ](?:[\w']{1,12}[ ]){0,2}?(?:security"
    r"|secret)[ ]question"
    r"|\b(?:security|secret)[ ]question[^\n]{0,80}?\banswer)"
    r"(?:['’]s|[ ]is|[ ]was)?[:=]?[ ]{1,2}",
    re.I | re.A,
)
_MAIDEN = re.compile(
    r"\bmaiden[ ]name[ ](?:is|was)[ ](?P<value>[A-Z][a-z]{2,20})\b(?=.{0,80}\b(?:security"
    r"|secret)[ ]question)"
)
_IDENTIFIED = re.compile(r"\bidentified[ ]by[ ](?=['\"])", re.I)
_LOOK_BACK = 60


def spoken_passwords(text: str) -> Iterator[Span]:
    """Values that stand where a password does."""
    for noun in _NOUN.finditer(text):
        for start, end in _values(text, noun):
            yield "password", start, end
    for match in _AS.finditer(text):
        start, end = value_end(text, match.start("value"), "beside", single=True)
        if end or _is_plain(match["value"]):
            yield "password", match.start("value"), match.end("value")


def _is_plain(value: str) -> bool:
    start, _ = value_end(value, 0, "said", single=True)
    return bool(start or value_end(value + ".", 0, "said", single=True)[1])


def _values(text: str, noun: re.Match[str]) -> Iterator[tuple[int, int]]:
    at, word = noun.end(), noun["word"].lower()
    before = text[max(0, noun.start() - _LOOK_BACK) : noun.start()]
    for link, kind in _links(text, noun.group(), at, word, before):
        start, end = value_end(text, link, kind, single=word == "pass" or kind == "flagged")
        if end:
            yield start, end
            if more := _ALIKE.match(text, end):
                start, end = value_end(text, more.end(), "said", single=True)
                if end:
                    yield start, end
            return


def _links(text: str, noun: str, at: int, word: str, before: str) -> Iterator[tuple[int, Kind]]:
    """The places where a value may start, and what links it to the name."""
    if match := _ASSIGNED.match(text, at):
        # A variable of the shell: its value ends at the next space.
        shell = noun.isupper() and match.group() == "="
        # Names in a row are variables: "user, password = split".
        if not (before.endswith(", ") and match.group().startswith(" =")):
            yield match.end(), "flagged" if shell else "assigned"
        return
    match = _QUOTED.match(text, at)
    if match and not before.endswith(('="', "='", "(")) and _takes(match.group(), noun, before):
        yield match.end(), "said"
    if before.endswith("--") or before.lower().endswith("require"):
        if match := _BESIDE.match(text, at):
            yield match.end(), "flagged"
        return
    if word != "pass":
        if match := _SAID.match(text, at):
            yield match.end(), "said"
            return
        if (match := _CHANGED_TO.match(text, at)) and (
            len(match.group().split()) > 1 or _CHANGED.search(before)
        ):
            yield match.end(), "said"
            return
    if (
        (match := _BESIDE.match(text, at))
        and before[-1:] != ":"
        and _BESIDE_BEFORE.search(before)
        and (word != "pass" or _ACCOUNT.search(before))
    ):
        yield match.end(), "beside"
    if word != "pass" and (match := _LATER.match(text, at)):
        yield match.end(), "said"


def _takes(link: str, noun: str, before: str) -> bool:
    """Whether a quoted word after the name is its value, and not the next word of a list."""
    if link == "(":
        return before.lower().endswith(("set", "set_"))
    if link.startswith(('",', "',")):
        return noun.isupper()
    return noun.lower() != "pass"


def security_answers(text: str) -> Iterator[Span]:
    """Answers that open an account, and the words of SQL that give one its password."""
    for match in _ANSWER.finditer(text):
        start, end = value_end(text, match.end(), "said")
        if end:
            yield "security_answer", start, end
    for match in _IDENTIFIED.finditer(text):
        start, end = value_end(text, match.end(), "said")
        if end:
            yield "password", start, end
    for match in _MAIDEN.finditer(text):
        yield "security_answer", *match.span("value")

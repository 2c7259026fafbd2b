"""Secrets that only their name gives away: ``password = …``, ``"api_key": …``, 密码是 ….

As with the formats, a plain substring search for the name comes first. What stands before the name
("page token", "public key") and what the value looks like decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from mnemic.language.secrets.randomness import (
    Bounds,
    is_expression,
    looks_like_password,
    looks_random,
    looks_strong,
)


class SecretName(NamedTuple):
    """A word that names a secret, and how the word may go on."""

    secret: str
    literal: str
    after: str
    chinese: bool = False


def _cased(secret: str, word: str, after: str = "") -> tuple[SecretName, ...]:
    return tuple(SecretName(secret, w, after) for w in (word, word.capitalize(), word.upper()))


# A password, an access key and its secret key: too short to be told from other words in a sentence.
_SHORT = ("pw", "PW", "AK", "SK", '"ak"', '"sk"', "_ak", "_sk")
NAMES: tuple[SecretName, ...] = (
    *_cased("password", "pass", "(?:word|wd|[- ]?phrase|[- ]?code)?s?"),
    *_cased("password", "pwd"),
    *_cased("secret", "secret", "(?:[-_ ]?(?:access)?[-_ ]?(?:key|token|value))?"),
    *_cased("token", "token"),
    *_cased("key", "key", "(?:[-_ ]?id)?"),
    *(SecretName("key", word, "") for word in _SHORT[2:]),
    *(SecretName("password", word, "") for word in _SHORT[:2]),
    *(SecretName("password", word, "", chinese=True) for word in ("密码", "口令", "密碼")),
    *(
        SecretName("key", word, "", chinese=True)
        for word in ("密钥", "秘钥", "私钥", "令牌", "金鑰")
    ),
)
_LITERALS = tuple((name.literal, name) for name in NAMES)
# Parts of which every name has one; looked for in this order, as lower case and as it is.
WORDS = ("pass", "key", "token", "pw", "secret")
QUOTED = ('"ak"', '"sk"', "_ak", "_sk")
FOLDED = (*WORDS, *QUOTED)
CAPITALS = ("AK", "SK")
CHINESE = ("密", "令", "钥", "鑰")  # one of them is in every Chinese name

_STAGE = r"(?:[-_](?:prod|production|dev|test|staging|live|root|admin|new|old|current|\d))?"
_NOTE = r"(?:\s?[（(][^）)\n]{0,24}[）)])?"
_QUOTES = "\"'`“”‘’「」『』"
_OPEN = rf"(?P<quote>\\?[{_QUOTES}]{{1,3}}|\*\*|__)?"
_GIVES = r"(?:=>|:=|={1,3}|:|：|＝|->|→|(?<=[ \t])\|(?=[ \t])|>(?=[^<>\s]{4,256}<))"
_TYPE = r"(?::[ ]?(?:str|string|String|text)[ ]?(?==))?"
_NEXT_LINE = r"(?:\r?\n[ \t]{0,4}(?=\S{4,256}[ \t]{0,4}(?:\r?\n|$)))?"  # where it stands alone
_ASSIGN = rf"\\?[{_QUOTES}\]*_]{{0,3}}{_NOTE}[ \t]{{0,4}}{_TYPE}{_GIVES}[*_ \t]{{0,6}}{_NEXT_LINE}"
_PROSE = (
    r"(?:\s(?:for|of|on|at|in)\s[^\n:=]{1,40}?)?\s(?:has\s(?:been\s)?)?(?:(?:changed|set|reset)\s)?"
    r"(?:is|was|to|are|becomes)(?:\s(?:now|still|just|currently))?:?\s{1,2}"
)
_FLAG = rf"(?:[ \t]{{1,2}}(?:[-–—][ \t])?(?!-)|{_NEXT_LINE[:-1]})"
_SAYS = (
    r"\s{0,2}(?:现在|目前|就|还|都|已经|已|也|重新|暂时)?"
    r"(?:是|為|为|改成|改为|设成|设置?为|设置?成|换成|换为|重置为|重置成|叫|用的?是?|写的是)了?"
    r"[:：]?\s{0,2}"
)
_VALUE = r"(?P<value>[!#-&(-;=?-\[\]-_a-~]{4,}+)"
_COUNTED = re.compile(
    r"\s?(?:位|个|年|月|天|字符|字母|次|小时|分钟|characters?|chars?|digits?|letters?|days?|times?"
    r"|bytes?|bits?|or|到|至|-|~)", re.I
)  # fmt: skip
_CUT = re.compile(r"[;&,|](?:\s*\w+=.*|$)", re.S)
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_LOOK_BACK = 40
_CHANGED = re.compile(r"(?:chang|set|updat|mak|switch|rotat|renew)[^.!?\n]*$", re.I)
_KEY_OWNERS = re.compile(
    r"(?:api|access|secret|private|sign(?:ing|ature)?|encrypt(?:ion)?|master|auth|account|service"
    r"|app|subscription|shared|consumer|client|deploy|ark|admin|storage|aes|hmac|jwt|bot)[-_ ]?$",
    re.I,
)
_NOT_TOKENS = re.compile(
    r"(?:page|next|prev|continuation|continue|pad|eos|bos|sep|cls|mask|unk|csrf|xsrf|sync|cursor"
    r"|max|min|num|total|prompt|completion|input|output|stop|special|resume|cancel(?:lation)?"
    r"|design|idempotency|scroll|fence|lock|etag|device|push|public|cache)[-_ ]?$",
    re.I,
)
_NOT_SECRETS = re.compile(r"(?:public|no|top)[-_ ]?$", re.I)
_ENDS_ALNUM = re.compile(r"[A-Za-z0-9]$", re.A)


def named_secrets(text: str, bounds: Bounds) -> Iterator[tuple[str, int, int]]:
    """The name, start and end of every value that its name gives away."""
    for name in [name for literal, name in _LITERALS if literal in text]:
        pattern, at = _pattern(name), 0
        while match := pattern.search(text, at):
            start, end = match.start("value"), _judge(name, match, bounds)
            if end:
                yield name.secret, start, end
            # What is no secret may be the next name: "the key api_key: …".
            at = match.end() if end else start


def may_name(text: str, folded: str, syntax: bool) -> bool:
    """Whether one of the names may be in the text; for nearly every text the answer is no.

    ``folded`` is the text in lower case; ``syntax`` tells whether it has quotation marks,
    underscores or other signs that syntax is made of.
    """
    for part in WORDS:
        if part in folded:
            return True
    if syntax:
        for part in QUOTED:
            if part in folded:
                return True
    for part in CAPITALS:
        if part in text:
            return True
    if not text.isascii():
        for part in CHINESE:
            if part in text:
                return True
    return False


@cache
def _pattern(name: SecretName) -> re.Pattern[str]:
    if name.chinese:
        says = rf"{_NOTE}(?:{_ASSIGN}|(?P<prose>{_SAYS}|\s{{0,2}}))"
    elif name.literal in _SHORT:
        says = _ASSIGN
    else:
        says = rf"{_STAGE}(?:{_ASSIGN}|(?P<prose>{_PROSE}|{_SAYS})|(?P<flag>{_FLAG}))"
    # The mark of what was taken out before is no name.
    return re.compile(
        rf"{name.literal}(?<!\[secret)(?P<rest>(?i:{name.after})){says}{_OPEN}{_VALUE}", re.A
    )


def _judge(name: SecretName, match: re.Match[str], bounds: Bounds) -> int:
    """Where the secret ends; 0 if it is none."""
    chosen = name.secret == "password" or name.chinese  # by a person: it may be short
    if not chosen and len(match["value"]) < bounds.length:
        return 0
    text, start = match.string, match.start()
    before = text[max(0, start - _LOOK_BACK) : start]
    if not _is_owner(name, before):
        return 0
    groups = match.groupdict()
    prose, quoted = groups.get("prose"), bool(match["quote"])
    # Only a space between them: any value may follow --password, only a strong one a plain word.
    beside = bool(groups.get("flag")) and "--" not in before.rsplit(" ", 1)[-1]
    if (beside or prose) and not _can_be_said(name, match["rest"], prose or "", before):
        return 0
    value = _trimmed(match["value"], quoted)
    end = match.start("value") + len(value)
    if not quoted and not name.chinese and prose is None and is_expression(value):
        return 0
    if looks_random(value, bounds, uuid=not beside and name.secret != "token"):
        return end
    if not chosen or (beside and not looks_strong(value)):
        return 0
    if value.isdigit() and _COUNTED.match(text, end):
        return 0
    return end if looks_like_password(value, quoted=quoted, digits=4) else 0


def _can_be_said(name: SecretName, rest: str, prose: str, before: str) -> bool:
    """In a sentence, "pass" is a verb, and a password goes "to" somebody unless it is changed."""
    if name.literal.lower() == "pass" and not rest:
        return False
    return prose.split()[-1:] != ["to"] or len(prose.split()) > 1 or bool(_CHANGED.search(before))


def _is_owner(name: SecretName, before: str) -> bool:
    """Whether what stands before the word leaves it the name of a secret."""
    if name.literal in _SHORT:
        return name.literal[0] == "_" or not _ENDS_ALNUM.search(before)
    if name.chinese or name.secret == "password":
        return True
    if name.secret == "key":
        return bool(_KEY_OWNERS.search(before))
    return not (_NOT_TOKENS if name.secret == "token" else _NOT_SECRETS).search(before)


def _trimmed(value: str, quoted: bool) -> str:
    """The value without what belongs to the sentence or to the next field."""
    if not quoted:
        value = _CUT.sub("", value)
    value = value.rstrip(".,;:?*_" if not quoted else "")
    while value and (opener := _CLOSERS.get(value[-1])) and opener not in value:
        value = value[:-1].rstrip(".,;:?")
    return value

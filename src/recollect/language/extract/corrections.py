"""Corrections: "不对，是 3.11", "actually it's Friday", set right against what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from recollect.language.extract.found import Found
from recollect.language.extract.sentences import GAP
from recollect.language.extract.values import clean

_SLIP = (
    r"(?:oh|ah|oops|um|hmm|wait|sorry|no|nope|my bad|my mistake|scratch that|correction|actually"
    r"|i misspoke|i was wrong|typo|hang on|hold on|that's wrong|that's not right|not quite)"
)
_IT_IS = (
    r"(?:it's|it is|it should be|that's|that should be|i meant?|i'm|make (?:it|that)|should be|is"
    r"|port|version)(?: actually| now)?"
)
_VALUE = r"(?P<v>[\w.:/+#' -]{1,40}?)"
_WRONG = r"(?P<old>[\w.:/ -]{1,20}?)"
# The surest first: those that name the wrong value beside the right one.
_CORRECTIONS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:{_SLIP}[\s,.:!;-]+)*i (?:said|wrote|typed) {_WRONG},? but {_IT_IS} {_VALUE}[.!]*$",
        rf"(?:{_SLIP}[\s,.:!;-]+)*{_IT_IS} {_VALUE},? (?:and )?not {_WRONG}[.!]*$",
        rf"(?:{_SLIP}[\s,.:!;-]+)*(?:it's )?not {_WRONG}[,;] ?(?:but |it's )?{_VALUE}[.!]*$",
        rf"(?:{_SLIP}[\s,.:!;-]+)+(?:but |it |that )?(?:{_IT_IS} )?{_VALUE}[.!]*$",
        rf"i meant? {_VALUE}[.!]*$",
        rf"{_IT_IS} {_VALUE},? (?:instead(?: of .{{1,20}})?|actually)[.!]*$",
        r"(?:哦|啊|呃|嗯|抱歉|对不起|不好意思|等等|等一下|[，, ])*"
        r"(?:不对|不是|(?:我)?(?:说|记|打|写|搞|弄|看)?错了|(?:更|纠|修)正一下?|口误|准确地?说"
        r"|应该|其实|不[，,])(?:的)?(?P<old>[\w.: ]{0,12}?)[，,。：:！! 、]*"
        r"(?:应该|其实|准确地?说|而|我的意思|正确的)?(?:是|应为|改成|改为)\s?"
        r"(?P<v>[\w.:/+# -]{1,24}?)(?:才对|才是)?[。！!]*$",
        r"(?:是|应该是)\s?(?P<v>[\w.:/+# -]{1,20}?)[，, ]*(?:不是|而不是)\s?"
        r"(?P<old>[\w.:/ -]{1,20})[。！!]*$",
    )
)
_VERSION = re.compile(r"(?:[A-Za-z][\w.+#]* )?v?\d+(?:\.\d+){1,3}")
_NUMBER = re.compile(r"\d{1,6}")
_DAY = re.compile(
    r"(?:next |this |on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today"
    r"|.*(?:周|星期|礼拜)[一二三四五六日天]|.*\d{1,2}\s?[月号日].*|明天|后天|月底"
    r"|年底"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}.*|"
    r"(?:the )?\d{1,2}(?:st|nd|rd|th)|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}",
    re.I,
)
_DATED = frozenset({"deadline", "birthday", "schedule"})
_NUMBERED = frozenset({"port", "age", "version"})
_WORDED = frozenset(
    "name nickname job employer lives_in from editor shell terminal browser os "
    "database school major"
    " package_manager allergy timezone nationality pet wife husband son daughter".split()
)
_NOT_VALUES = re.compile(
    r"(?:a |an |the |not|so|very|really|just|fine|ok|good|wrong|right|that|this|it"
    r"|true|false|because|i |you|we |my |what|how|like|more|too|about|for|in |on "
    r"|at |to "
    r"|(?:keep|leave|let|do|don't|go|stop|try|use|add|remove|skip|cancel|make|put|show|run|need|wait"
    r"|thanks|please|problem|worries|way|sure)\b"
    r"|.*\b(?:it|that|this|them|me|now|later|again|yet)$"
    r"|.*(?:的|了|吗|呢|因为|这样|那样|问题|意思|我|你|他|什么|怎么|可以|没有|不)).*",
    re.I,
)


def correction(sentence: str) -> tuple[str, str]:
    """The value a sentence puts right, and the wrong one where it is named; else empty texts."""
    if GAP in sentence:
        return "", ""
    match = next(filter(None, (pattern.match(sentence) for pattern in _CORRECTIONS)), None)
    if match is None:
        return "", ""
    return clean(match["v"]), clean(match.groupdict().get("old") or "")


def corrected(value: str, old: str, before: Iterable[Found]) -> Found | None:
    """The latest statement of that sort, put right; ``before`` is newest first."""
    slots = _slots(value)
    for found in before if slots else ():
        if found.predicate not in slots or found.withdraws or not _alike(value, found):
            continue
        if (
            old
            and old.lower() not in found.value.lower()
            and found.value.lower() not in old.lower()
        ):
            continue
        if value.lower() == found.value.lower():
            return None
        right = (
            value.rsplit(maxsplit=1)[-1].lower().removeprefix("v")
            if found.predicate == "version"
            else value
        )
        text = found.content
        content = text.replace(found.value, right) if found.value in text else f"{text} → {right}"
        return replace(found, value=right, content=content, is_update=True, asked=False)
    return None


def _slots(value: str) -> frozenset[str]:
    """The predicates that a value can be of."""
    if _DAY.fullmatch(value):
        return _DATED
    if _NUMBER.fullmatch(value):
        return _NUMBERED
    if _VERSION.fullmatch(value):
        return frozenset({"version"})
    if _NOT_VALUES.fullmatch(value) or len(value.split()) > 3 or len(value) > 24:
        return frozenset()
    return _WORDED


def _alike(value: str, found: Found) -> bool:
    """A version with a point is not corrected by one without, nor the other way round."""
    return found.predicate != "version" or ("." in value) == ("." in found.value)

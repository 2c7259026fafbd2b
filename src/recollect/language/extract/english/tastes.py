"""Likes and dislikes, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.english.words import AM, ROLE, VERY
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import choice, read_row, row
from recollect.language.extract.values import clean, statement, thing

_OVER = re.compile(
    r"\s+(?:over|to|rather than|instead of|more than|than)\s+(?!(?:be|do|have|use"
    r"|work|write|read|keep)\b)",
    re.I,
)
_SARCASTIC = re.compile(
    r"\b(?:fail(?:s|ing|ed)?|crash(?:es|ing)?|break(?:s|ing)?|broken|bugs?|outages?"
    r"|down at|paged|at \d ?am|waking up to|being (?:woken|yelled|paged|told))\b",
    re.I,
)


def tastes() -> tuple[Row, ...]:
    return (
        row(
            r"i (?:only|mostly|exclusively) (?:ever )?(?:drink|eat|wear|read|watch|listen to"
            r"|buy|fly) "
            r"(?P<v>[\w '-]{3,40})$",
            "preference",
            "likes",
        ),
        row(r"my go-to \w+ is (?:an? )?(?P<v>[\w '-]{3,40})$", "preference", "likes"),
        row(
            r"(?:i|i've) always (?:preferred|liked|loved) (?P<v>[\w '-]{3,40})$",
            "preference",
            "likes",
        ),
        read_row(
            r"my (?:all[- ]time )?favou?rite (?P<of>[a-z][\w ]{1,25}?)(?:'s| is| are) "
            r"(?P<v>.{2,60})$",
            _favourite,
        ),
        row(
            r"(?P<v>[A-Za-z][\w ,'-]{1,30}?) (?:drives? me (?:crazy|nuts|mad|insane|up the "
            r"wall)|(?:annoys?|bugs?|irritates?) (?:me|the hell out of me).*|(?:is|are) not "
            r"(?:really )?(?:my thing|for me|my cup of tea))$",
            "preference",
            "dislikes",
        ),
        row(
            r"(?P<v>[A-Za-z][\w '-]{1,30}?) (?:is|are) (?:my (?:absolute )?favou?rites?|my "
            r"(?:thing|jam|go-to))(?: .{0,20})?$",
            "preference",
            "likes",
        ),
        row(
            r"i find (?P<v>[\w '-]{2,40}?) (?:really |very |so |super |a bit )?(?:annoying"
            r"|irritating|boring|tedious|distracting|confusing|hard to read|exhausting|ugly"
            r"|unbearable)$",
            "preference",
            "dislikes",
        ),
        row(
            r"i find (?P<v>[\w '-]{2,40}?) (?:really |very |so |super )?(?:relaxing|fun"
            r"|fascinating|helpful|useful|soothing|easier to read)$",
            "preference",
            "likes",
        ),
        row(
            rf"{AM} not (?:really |that |too )?(?:big on|into|a(?! (?:big |huge )?fan)) "
            rf"(?P<v>[\w '-]{{2,40}}?)(?: person| guy)?$",
            "preference",
            "dislikes",
            _not_big,
        ),
        row(
            rf"(?:{AM} )?(?:an? )?(?:big|huge|massive|total) fan of (?P<v>[\w '-]{{2,40}})$",
            "preference",
            "likes",
        ),
        row(
            r"i (?:never|have never|'ve never) (?:really )?liked (?P<v>[\w '-]{2,40}?)(?: "
            r"much)?$",
            "preference",
            "dislikes",
        ),
        row(r"(?P<v>[\w-]{2,20}) person here$", "preference", "likes"),
        row(
            r"i(?:'d| would) (?:always )?(?:pick|choose|take) (?P<v>[\w '-]{2,30}?) over "
            r".{2,30}$",
            "preference",
            "likes",
        ),
        row(
            rf"{AM} (?:more|most) comfortable with (?P<v>[\w '-]{{2,30}}?)(?: than "
            rf".{{2,30}})?$",
            "preference",
            "likes",
        ),
        row(r"i hate it when (?P<v>.{3,60})$", "preference", "dislikes", clean),
        row(
            r"i (?:really |also )*(?:prefer|like) (?:it )?(?:when|if) (?P<v>(?:you|code"
            r"|answers|replies|things|people) .{3,60})$",
            "preference",
            "likes",
            statement,
        ),
        row(
            r"i (?:usually|normally|always|generally) (?P<v>(?:go|drink|eat|run|walk|swim"
            r"|work out|get up|wake up|read|meditate|cook|bike|cycle)\b.{2,40})$",
            "preference",
            "habit",
            clean,
        ),
        row(
            rf"{AM} (?:a sucker|a total sucker) for (?P<v>[\w '-]{{2,40}})$", "preference", "likes"
        ),
        row(
            r"i (?:can't|cannot) (?:do|eat|drink|handle|deal with|tolerate) (?P<v>"
            r"[\w '-]{3,40})$",
            "preference",
            "dislikes",
            _cannot,
        ),
        row(r"i (?:don't|do not|never) drink (?P<v>[\w '-]{3,30})$", "preference", "dislikes"),
        row(r"nothing beats (?P<v>[\w '-]{3,40})$", "preference", "likes"),
        row(r"(?P<v>[a-z][\w '-]{2,30}?) works? best for me$", "preference", "likes"),
        row(
            r"(?P<v>[a-z][\w '-]{1,30}?) over [\w '-]{2,30}? (?:for me|please|any day|every "
            r"time|always)$",
            "preference",
            "likes",
        ),
        row(r"give me (?P<v>[\w '-]{2,30}?) (?:any day|over .{2,30})$", "preference", "likes"),
        row(
            r"i(?:'d| would) rather (?P<v>[\w '-]{2,40}?)(?: than .{2,40})?$",
            "preference",
            "likes",
            _rather,
        ),
        read_row(rf"i {VERY}(?:tend to |would |'d )?(?P<verb>prefer) (?P<v>.{{2,90}})$", _liked),
        read_row(
            rf"i {VERY}(?:tend to )?(?P<verb>like|love|enjoy|adore) (?P<v>.{{2,70}})$", _liked
        ),
        read_row(
            rf"{AM} {VERY}(?P<verb>an? (?:big |huge |massive )?fan of|into|fond of|crazy "
            rf"about|obsessed with|keen on) (?P<v>.{{2,60}})$",
            _liked,
        ),
        read_row(
            rf"i {VERY}(?P<not>hate|dislike|detest|loathe|despise|can't stand|cannot stand"
            r"|can't bear|(?:don't|do not) (?:really |particularly |much )?(?:like|enjoy"
            rf"|care for|love)|have no patience for|am sick of) (?P<v>.{{2,60}})$",
            _liked,
        ),
        read_row(
            rf"{AM} (?P<not>not (?:really |much of )?(?:an? )?(?:big |huge )?(?:fan of|into"
            rf"|fond of|keen on)) (?P<v>.{{2,60}})$",
            _liked,
        ),
    )


def _not_big(text: str) -> str:
    value = thing(text)
    return (
        value
        if value
        and not re.match(rf"(?:{ROLE}|bot|robot|lawyer|expert|native|bad|morning)", value, re.I)
        else ""
    )


def _cannot(text: str) -> str:
    value = thing(text)
    return (
        ""
        if not value
        or re.match(r"(?:this|that|it|anything|much|my|the|all|any|\w+ing)\b", value, re.I)
        else value
    )


def _rather(text: str) -> str:
    value = thing(text)
    return "" if not value or re.match(r"(?:you|not|be told|wait|die)\b", value, re.I) else value


def _favourite(match: re.Match[str]) -> Found | None:
    value = thing(match["v"])
    of = "_".join(match["of"].lower().split())
    if not value:
        return None
    used = choice(match["v"], known=True)
    if used and used.predicate == of:
        return Found("preference", USER, of, used.value)
    return Found("preference", USER, f"favorite_{of}", value)


def _liked(match: re.Match[str]) -> Found | None:
    value = thing(
        match["v"].removeprefix("to use ").removeprefix("using ").removeprefix("the taste of "), 90
    )
    if not value or value.lower().startswith(
        ("to ask", "to go with", "if ", "working with you", "talking", "when ", "it ", "how ")
    ):
        return None
    if "not" in match.re.groupindex:
        return Found("preference", USER, "dislikes", value)
    if _SARCASTIC.search(value):
        return None
    prefers = match["verb"].lower() == "prefer"
    first = _OVER.split(value, maxsplit=1)[0].strip() if prefers else value
    used = choice(first, known=True) if prefers else None
    if used and used.predicate not in ("version", "uses"):
        return Found("preference", USER, used.predicate, used.value)
    return Found("preference", USER, "likes", first)

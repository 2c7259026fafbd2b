"""Work, school and health, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.english.words import (
    AM,
    DIET,
    HAVE,
    ROLE,
    VERY,
    company,
)
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import read_row, row
from recollect.language.extract.values import clean, place, thing

_TONGUE = (
    r"english|chinese|mandarin|cantonese|spanish|french|german|japanese|korean"
    r"|russian|portuguese|italian|arabic|hindi|dutch"
    r"|swedish|turkish|polish|vietnamese|thai|greek|hebrew|danish|norwegian|finnish"
    r"|czech|hungarian|ukrainian|bengali|urdu|tamil|malay|indonesian|latin|catalan"
    r"|romanian"
)


def jobs() -> tuple[Row, ...]:
    return (
        row(
            r"i (?:teach) (?P<v>[\w ]{3,30}?)(?: (?:at|in|to) .{2,40})?$",
            "identity",
            "job",
            _teaches,
        ),
        read_row(
            rf"{AM} (?:an?|the) (?P<v>(?:[\w/-]+ ){{0,3}}(?:dev|{ROLE})) (?:at|for|with) "
            rf"(?:an? (?:\w+ ){{0,3}}(?:called|named) )(?P<at>[A-Z][\w&'.-]*(?: [A-Z]"
            rf"[\w&'.-]*){{0,2}}).*$",
            _job_at,
        ),
        row(
            rf"{AM} (?:now |currently )?at (?P<v>[A-Z][\w&'.-]*(?: [A-Z][\w&'.-]*){{0,2}}) "
            r"now$",
            "identity",
            "employer",
            company,
            update=True,
        ),
        row(
            r"(?:i (?:have )?(?:been )?work(?:ed)?|i've (?:been )?work(?:ed|ing)) (?:at"
            r"|for) (?P<v>[A-Z][\w&'.-]*(?: [A-Z][\w&'.-]*){0,2}) (?:since|for) .{2,30}$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{AM} (?:at|with) (?P<v>[A-Z][\w&'.-]*(?: [A-Z][\w&'.-]*){{0,2}}) (?:for"
            rf"|since) .{{2,40}}$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{AM} (?:on|in) the [\w ]{{2,20}} (?:team|group|department) at (?P<v>[A-Z]"
            rf"[\w&'.-]*(?: [A-Z][\w&'.-]*){{0,2}})$",
            "identity",
            "employer",
            company,
        ),
        row(r"i do (?P<v>[\w ]{2,25}?) for a living$", "identity", "job"),
        row(rf"as an? (?P<v>(?:[\w-]+ ){{0,2}}(?:{ROLE})) i\b.{{2,80}}$", "identity", "job"),
        row(
            r"i (?:look after|am responsible for|own|maintain|lead|manage|take care of) "
            r"(?:the |our )(?P<v>[\w -]{3,40}?(?:service|team|platform|project|product"
            r"|backend|frontend|system|app|infra|infrastructure|pipeline|department))(?: "
            r".{0,40})?$",
            "identity",
            "job",
        ),
        row(
            rf"{AM} (?:doing|finishing|working on|pursuing) (?:an? |my )(?P<v>(?:phd|ph\.d"
            r"|master'?s?|mba|doctorate|bachelor'?s?|degree|internship|residency)(?: (?:in"
            rf"|at) .{{2,40}})?)$",
            "identity",
            "job",
        ),
        row(
            r"i run (?:an? |the |my own )(?P<v>[\w -]{3,40}?)(?: (?:at|in|called) .{2,40})?$",
            "identity",
            "job",
            _runs,
        ),
        row(
            rf"i {VERY}work (?P<v>(?:night|day|late|rotating) shifts?(?: at .{{2,30}})?|part"
            rf"[- ]time|remotely|freelance)(?: .{{0,30}})?$",
            "identity",
            "job",
            clean,
        ),
        read_row(
            rf"{AM} (?:now |currently |actually )?(?:an?|the) (?P<job>(?:[\w/-]+ ){{0,4}}"
            rf"(?:{ROLE}))(?: by (?:trade|training|profession))?(?: (?:at|for|with|of) "
            rf"(?:an? (?:[\w-]+ ){{0,3}}(?:called|named) )?(?P<at>[A-Z][\w.&' -]{{1,40}})| "
            rf"(?:in|from|based in) (?P<in>[A-Z][\w ,-]{{1,40}}))?(?: .{{0,30}})?$",
            _job,
        ),
        row(
            rf"i {VERY}work as (?:an? |the )?(?P<v>[\w /-]{{3,50}}?)(?: (?:at|for|in) "
            rf".{{2,40}})?$",
            "identity",
            "job",
        ),
        row(
            r"my (?:job|profession|occupation|job title|role)(?:'s| is) (?:an? |the )?(?P<v>"
            r"[\w /-]{3,50})$",
            "identity",
            "job",
        ),
        row(
            rf"{HAVE} (?:just |recently )*(?:became|become|been promoted to|got promoted to) "
            rf"(?:an? |the )?(?P<v>[\w /-]{{3,50}})$",
            "identity",
            "job",
            update=True,
        ),
        row(
            rf"i {VERY}work (?:at|for) (?P<v>[A-Z][\w.&'-]*(?: [A-Z&][\w.&'-]*){{0,3}}|"
            rf"[a-z]{{3,15}})(?: (?:as|in|on) .{{2,50}})?$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{AM} {VERY}(?:working|employed) (?:at|for|by|with) (?P<v>[A-Z][\w.&'-]*(?: "
            rf"[A-Z&][\w.&'-]*){{0,3}})(?: (?:as|in|on) .{{2,50}})?$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{HAVE} (?:just |recently )*(?:joined|started (?:working )?at|started a new "
            r"job at|got hired by|got a job at) (?P<v>[A-Z][\w.&'-]*(?: [A-Z&]"
            rf"[\w.&'-]*){{0,3}})(?: .{{0,40}})?$",
            "identity",
            "employer",
            company,
            update=True,
        ),
        row(
            r"my (?:company|employer|workplace)(?:'s name)? is (?:called )?(?P<v>"
            r"[\w.&' -]{2,40})$",
            "identity",
            "employer",
        ),
        row(
            rf"(?:i (?:study|go to school)|{AM} (?:studying|a student|an undergrad)) at "
            rf"(?P<v>[\w.&', -]{{2,50}})$",
            "identity",
            "school",
        ),
        row(
            rf"(?:{AM} (?:studying|majoring in)|i (?:study|major in)|i {VERY}majored in|my "
            rf"major is) (?P<v>[a-z][\w &-]{{2,40}}?)(?: at .{{2,40}})?$",
            "identity",
            "major",
        ),
    )


def traits() -> tuple[Row, ...]:
    return (
        row(
            rf"(?:{AM} a (?:single )?(?P<v>(?:mom|mum|dad|father|mother|parent)(?: (?:of|to) "
            rf".{{2,20}})?))$",
            "identity",
            "family",
        ),
        row(rf"as an? (?P<v>{DIET}) i\b.{{2,80}}$", "identity", "diet", clean),
        row(r"i (?:grew up|was raised) speaking (?P<v>[A-Z][\w ]{2,20})$", "identity", "language"),
        row(
            r"my (?:mother tongue|native language|first language) is (?P<v>[A-Z]"
            r"[\w ]{2,20})$",
            "identity",
            "native_language",
        ),
        row(
            r"i have (?P<v>adhd|asthma|diabetes|dyslexia|celiac(?: disease)?|migraines"
            r"|insomnia|anxiety|rsi|arthritis|tinnitus|high blood pressure)(?: .{0,40})?$",
            "identity",
            "trait",
            clean,
        ),
        row(
            rf"{AM} (?P<v>colou?r ?blind|left[- ]handed|diabetic|dyslexic|deaf|hard of "
            r"hearing|pregnant|asthmatic|epileptic|autistic|nearsighted|introverted|an "
            r"introvert|an extrovert|a night owl|an early bird|a morning person)$",
            "identity",
            "trait",
            clean,
        ),
        row(
            rf"{AM} (?:a |an )?(?P<v>[\w+.-]{{2,20}}) (?:user|guy|girl|person)(?: here)?$",
            "preference",
            "likes",
            thing,
        ),
        row(
            rf"{AM} more of an? (?P<v>[\w -]{{2,30}}?)(?: (?:person|guy|girl|type|kind of "
            r"\w+))?$",
            "preference",
            "likes",
            thing,
        ),
        row(
            r"my (?:work |personal )?e-?mail(?: address)? is (?P<v>[\w.+-]{1,40}@"
            r"[\w.-]{3,60})$",
            "identity",
            "email",
            clean,
        ),
        row(
            rf"i {VERY}(?:speak|can speak) (?:(?:fluent|native|a little|some|basic) )?(?P<v>"
            rf"(?:{_TONGUE})\b[\w ,&-]{{0,40}})$",
            "identity",
            "language",
        ),
        row(
            rf"{AM} (?:fluent in|a native speaker of|bilingual in) (?P<v>(?:{_TONGUE})\b"
            rf"[\w ,&-]{{0,40}})$",
            "identity",
            "language",
        ),
        row(
            r"(?:my (?:native|first) (?:language|tongue) is|my mother tongue is) "
            rf"(?P<v>{_TONGUE})$",
            "identity",
            "native_language",
        ),
        row(rf"{AM} a native (?P<v>{_TONGUE}) speaker$", "identity", "native_language"),
        row(
            rf"{AM} {VERY}(?:learning|teaching myself) (?P<v>(?:{_TONGUE}|[A-Z][\w+#.]*|the "
            rf"\w+|piano|guitar|violin|chess))(?: .{{0,30}})?$",
            "fact",
            "learning",
            _learnt,
        ),
        row(
            rf"{AM} {VERY}(?:(?:severely|very|deathly|badly|mildly) )?allergic to "
            rf"(?P<v>.{{2,50}})$",
            "identity",
            "allergy",
        ),
        row(
            r"i (?:also )?have (?:an?|a severe|a bad) (?P<v>[\w ]{2,20}?) allergy$",
            "identity",
            "allergy",
        ),
        row(rf"{AM} {VERY}(?:an? )?(?:strict )?(?P<v>{DIET})$", "identity", "diet", clean),
        row(
            rf"i {VERY}(?:don't|do not|can't|cannot|never) eat (?P<v>[\w ,-]{{3,40}})$",
            "identity",
            "diet",
            _not_eaten,
        ),
    )


def _job(match: re.Match[str]) -> list[Found]:
    found = [Found("identity", USER, "job", match["job"].strip())]
    if match["at"] and (at := company(match["at"])):
        found.append(Found("identity", USER, "employer", at))
    if match["in"] and (where := place(match["in"])):
        found.append(Found("identity", USER, "lives_in", where))
    return found


def _job_at(match: re.Match[str]) -> list[Found]:
    return [
        Found("identity", USER, "job", match["v"].strip()),
        Found("identity", USER, "employer", clean(match["at"])),
    ]


def _teaches(text: str) -> str:
    value = thing(text)
    return (
        f"{value} teacher"
        if value and not value.startswith(("myself", "people", "him", "her"))
        else ""
    )


def _runs(text: str) -> str:
    value = thing(text)
    bad = re.match(
        r"(?:test|script|command|build|query|server|linter|program|code|job|check|app"
        r"|same|marathon)",
        value,
    )
    return "" if bad else value


def _learnt(text: str) -> str:
    return "" if text.lower().startswith("the ") else thing(text)


def _not_eaten(text: str) -> str:
    value = thing(text)
    return (
        ""
        if not value
        or value.lower().startswith(
            (
                "breakfast",
                "lunch",
                "dinner",
                "out",
                "at ",
                "enough",
                "well",
                "much",
                "before",
                "after",
            )
        )
        else f"no {value}"
    )

"""Who somebody is and where he lives, as told in English."""

from __future__ import annotations

from recollect.language.extract.english.words import AM, HAVE, VERY
from recollect.language.extract.found import Row
from recollect.language.extract.products import product
from recollect.language.extract.rows import row
from recollect.language.extract.values import clean, person, place

_NATION = (
    r"chinese|american|british|german|french|japanese|korean|indian|spanish|italian"
    r"|canadian|australian|dutch|russian|brazilian|mexican"
    r"|swedish|norwegian|danish|finnish|polish|irish|scottish|turkish|greek"
    r"|portuguese|vietnamese|thai|singaporean|malaysian|taiwanese|ukrainian"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_BIRTHDAY = (
    rf"(?P<v>(?:the )?(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}"
    rf"(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    r"|\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?|\d{4}))"
)


def names() -> tuple[Row, ...]:
    return (
        row(
            r"(?:my (?:full |real |first )?name(?:'s| is)|i go by|my name:|name:) (?P<v>"
            r"[\w'. -]{1,40}?)(?: (?:at|with|without|from|in|on) .{2,40})?$",
            "identity",
            "name",
            person,
        ),
        row(
            r"(?:(?:please |just |you can |you may )*call me|my friends call me|people call "
            r"me|everyone calls me) (?P<v>[\w'. -]{1,30})$",
            "identity",
            "nickname",
            person,
        ),
        row(
            r"(?:hi|hello|hey)(?: there| everyone| all)?[\s!,]*(?:i'm|i am|this is) (?P<v>"
            r"[A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20})?)(?: here| speaking)?$",
            "identity",
            "name",
            person,
        ),
        row(
            rf"(?:hi|hello|hey|yo)[\s,!]*(?:there[\s,!]*)?(?:{AM}|this is|it's) (?P<v>[A-Z]"
            rf"[\w'-]{{1,20}})\b(?: (?:btw|by the way|here|from|speaking).*)?$",
            "identity",
            "name",
            person,
        ),
        row(
            rf"{AM} (?P<v>[A-Z][a-z'-]{{1,20}}) (?:btw|by the way|from the \w+ team)$",
            "identity",
            "name",
            person,
        ),
        row(r"(?:the )?name's (?P<v>[A-Z][\w' -]{1,30})$", "identity", "name", person),
        row(r"(?P<v>[A-Z][a-z'-]{1,15}) here(?: from .{2,30})?$", "identity", "name", person),
    )


def ages() -> tuple[Row, ...]:
    return (
        row(
            rf"{AM} (?P<v>[1-9]\d)(?: years? old| yo| y/o)?(?: now)?(?:$| (?:and|so|this|in"
            r"|next)\b(?! (?:minutes|a half)).*$)",
            "identity",
            "age",
            clean,
        ),
        row(
            rf"{HAVE} (?:just )?turn(?:ed)? (?P<v>\d{{1,2}})(?! (?:of|files|tests|things"
            r"|degrees))\b.*$",
            "identity",
            "age",
            clean,
            update=True,
        ),
        row(
            r"my (?:birthday|birth date|date of birth|bday)(?:'s| is| falls)(?: "
            rf"on)? {_BIRTHDAY}(?![\w/.-]).*$",
            "identity",
            "birthday",
            clean,
        ),
        row(rf"i was born (?:on|in) {_BIRTHDAY}(?![\w/.-]).*$", "identity", "birthday", clean),
    )


def places() -> tuple[Row, ...]:
    return (
        row(
            rf"{AM} in (?P<v>[A-Z][\w ]{{1,25}}?) now$", "identity", "lives_in", place, update=True
        ),
        row(
            rf"i {VERY}live (?:in|on) an? (?:\w+ ){{0,3}}(?:village|town|apartment|flat|house"
            r"|farm|place|suburb|studio|cabin) (?:near|in|outside|close to|by) "
            rf"(?P<v>.{{2,30}})$",
            "identity",
            "lives_in",
            place,
        ),
        row(
            rf"{HAVE} (?:just |recently )*moved into a (?:new )?(?:\w+ )?(?:place|flat"
            rf"|apartment|house|studio) in (?P<v>.{{2,30}})$",
            "identity",
            "lives_in",
            place,
            update=True,
        ),
        row(
            rf"{AM} (?:writing|calling|working|working remotely) from (?P<v>[A-Z]"
            rf"[\w ]{{1,25}})$",
            "identity",
            "lives_in",
            place,
        ),
        row(
            r"(?:we're|we are) (?:based|located) (?:in|out of) (?P<v>.{2,30})$",
            "identity",
            "lives_in",
            place,
        ),
        row(
            rf"{AM} in (?P<v>[A-Z][a-z]{{2,15}}(?: [A-Z][a-z]{{2,15}})?)(?: btw| by the way| "
            r"myself)?$",
            "identity",
            "lives_in",
            _town,
        ),
        row(r"home is (?P<v>.{2,40})$", "identity", "lives_in", place),
        row(
            rf"{AM} (?:in|on) (?P<v>(?:mountain|eastern|pacific|central(?: european)?|utc"
            r"[+-]?\d*|gmt[+-]?\d*|pst|est|cst|cet|cest|ist|jst|bst|pdt|edt|aest)(?: time)?)"
            r"(?: zone| timezone)?(?: btw| here)?$",
            "config",
            "timezone",
            clean,
        ),
        row(r"(?:our|my) office is in (?P<v>.{2,40})$", "identity", "works_in", place),
        row(r"i was born in (?P<v>.{2,40})$", "identity", "from", place),
        row(
            rf"(?:{AM} (?:originally )?from|i come from|i grew up in|my home ?town is) "
            rf"(?P<v>.{{2,40}})$",
            "identity",
            "from",
            place,
        ),
        row(rf"{AM} (?:an? )?(?P<v>{_NATION})(?: citizen)?$", "identity", "nationality", clean),
        row(
            rf"i {VERY}(?:live|reside) (?:in|near|just outside|outside|right outside|close "
            rf"to) (?P<v>.{{2,50}})$",
            "identity",
            "lives_in",
            place,
        ),
        row(
            rf"{AM} {VERY}(?:living|based|located|residing) (?:in|near|out of) "
            rf"(?P<v>.{{2,50}})$",
            "identity",
            "lives_in",
            place,
        ),
        row(
            rf"(?:{HAVE}|we|we've|my (?:family|wife|husband|partner) and i) (?:just "
            r"|recently |now |finally |actually )*(?:moved|relocated)(?: back)?(?: from "
            rf".{{2,30}}?)? to (?P<v>.{{2,40}}?)(?: (?:over|for|in|this|last|with|during|at"
            rf"|from|to be|when|because|about) .{{1,40}})?$",
            "identity",
            "lives_in",
            place,
            update=True,
        ),
        row(
            r"my (?:home )?(?:city|home|current location|location) is (?:in )?"
            r"(?P<v>.{2,50})$",
            "identity",
            "lives_in",
            place,
        ),
        row(r"my (?:home |mailing |postal )?address is (?P<v>.{5,80})$", "identity", "address"),
        row(r"my (?:time ?zone) is (?P<v>[\w+:/ -]{2,30})$", "identity", "timezone", clean),
        row(rf"{AM} in (?:the )?(?P<v>[\w+/-]{{2,20}}) time ?zone$", "identity", "timezone", clean),
    )


def _town(text: str) -> str:
    """A city that somebody is in; a mood or a month is none."""
    months = "January February March April May June July August September October November December"
    return (
        ""
        if product(text)
        or text.split(maxsplit=1)[0] in (*months.split(), "Charge", "Love", "Trouble")
        else place(text)
    )

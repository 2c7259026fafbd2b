"""Family and animals, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.english.words import AM, HAVE
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import read_row, row
from recollect.language.extract.values import clean, person

_RELATIVE = (
    r"wife|husband|son|daughter|brother|sister|mother|father|mom|mum|dad|partner"
    r"|girlfriend|boyfriend|fianc[eé]e?|kid|child|baby"
    r"|grandmother|grandfather|grandma|grandpa|cousin|uncle|aunt|nephew|niece|twin"
    r"|roommate|boss|manager|spouse"
)
_PET = (
    r"dog|cat|puppy|kitten|parrot|hamster|rabbit|bird|fish|turtle|snake|horse"
    r"|guinea pig|lizard|corgi|labrador|poodle|husky|pug|beagle|golden retriever"
    r"|tabby|ferret|gecko|pet"
)
_NOT_MENTIONED = frozenset(
    "and is was has who just also always never loves hates will can does did i".split()
)
_COUNT = r"(?:an?|one|two|three|four|five|six|\d)"


def family() -> tuple[Row, ...]:
    return (
        read_row(
            rf"my (?:(?:little|big|older|younger|old|new) )?(?P<who>{_PET}|wife|husband|son"
            r"|daughter|brother|sister|partner|girlfriend|boyfriend|kid|baby) (?P<v>[A-Z]"
            rf"[a-z]{{1,15}})\b(?!'s (?:friend|teacher)).*$",
            _mentioned,
        ),
        read_row(
            rf"my (?:\w+ )?(?P<who>{_RELATIVE})(?:'s name is| is called| is named|'s called"
            rf"|'s named|, whose name is) (?P<v>[A-Z][\w' -]{{1,30}})$",
            _relative,
        ),
        read_row(
            rf"(?:i|we)(?:'ve got| have|'ve) (?P<n>{_COUNT}|twin) (?:\w+ ){{0,2}}"
            rf"(?P<who>{_RELATIVE}|girls|boys|twins|toddlers?|kids|children|sons|daughters"
            rf"|brothers|sisters)(?: (?:named|called) (?P<v>[A-Z][\w' -]{{1,30}}))?$",
            _relative,
        ),
        read_row(
            r"my (?P<who>son|daughter|kid|child|baby|wife|husband|brother|sister) is "
            r"(?P<age>\d{1,2})(?: years? old| months? old)?$",
            _relative_age,
        ),
        row(
            rf"{AM} (?P<v>married|single|engaged|divorced|widowed)(?: (?:to|with) "
            rf".{{2,40}})?$",
            "identity",
            "marital_status",
            clean,
        ),
        row(
            rf"{HAVE} (?:just |recently )*got (?P<v>married|engaged|divorced)(?: .{{0,30}})?$",
            "identity",
            "marital_status",
            clean,
            update=True,
        ),
        read_row(
            r"(?:i|we|(?:my \w+ and i)) ?(?:also |now |'ve )?(?:have|got|own|adopted|just "
            rf"got|got|just adopted) (?P<n>{_COUNT}) (?:[\w-]+ ){{0,3}}?(?P<who>{_PET})s?(?: "
            rf"(?:named|called) (?P<v>[A-Z][\w' -]{{1,30}}))?$",
            _pet,
        ),
        read_row(
            rf"(?:my|our|the) (?:\w+ )?(?P<who>{_PET})(?:'s name is| is called| is named|'s "
            r"called|'s "
            rf"named| is) (?P<v>[A-Z][\w'-]{{1,20}})$",
            _pet,
        ),
    )


def _relative(match: re.Match[str]) -> Found:
    groups = match.groupdict()
    who = match["who"].lower()
    name = person(groups["v"]) if groups["v"] else ""
    return Found("identity", USER, singular(who), name or f"{groups.get('n', '')} {who}".strip())


def singular(who: str) -> str:
    return {"kids": "children", "kid": "children", "child": "children"}.get(
        who, who.removesuffix("s") if who not in ("boss",) else who
    )


def _relative_age(match: re.Match[str]) -> Found:
    return Found("identity", USER, f"{singular(match['who'].lower())}_age", match["age"])


def _pet(match: re.Match[str]) -> Found | None:
    name = person(match["v"]) if match["v"] else ""
    kind = match["who"].lower()
    if "n" in match.re.groupindex and not name and match["n"].isdigit() and kind == "fish":
        return None
    count = match["n"] if "n" in match.re.groupindex else ""
    many = f"{count} {kind}s" if count and count.lower() not in ("a", "an", "one") else kind
    return Found("identity", USER, "pet", name or many)


def _mentioned(match: re.Match[str]) -> Found | None:
    """ "my dog Biscuit ate a cable": told in passing."""
    name = person(match["v"])
    who = match["who"].lower()
    if not name or name.lower() in _NOT_MENTIONED:
        return None
    pet = re.fullmatch(_PET, who, re.I)
    return Found("identity", USER, "pet" if pet else singular(who), name)

"""A statement in words of its own, where a clause says several: "Ines is my sister", "Ines lives in
Kiel". The words are those of the clause as far as they can stand alone, else of the language's
templates (``[words.say_of_me]``, ``[words.say_of]``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from mnemic.language.extract.entries import USER
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.people import go_on, relations
from mnemic.language.extract.sentences import HAN, is_brief
from mnemic.types import Candidate

_CONTACTS = frozenset({"email", "phone", "wechat"})
_FEWEST = 4  # letters of a half; a Han one counts as two
_SUBJECT = re.compile(r"(?i)(?:i|i'm|i've|i'd|we|we're|my|our)\b|我|咱|俺")
_ANOTHER = re.compile(r"(?i)(?:he|she|they|it)(?='|\b)|[他她它]")
_ANOTHERS = re.compile(r"(?i)(?:his|her|their)\b")
_OWN_SUBJECT = re.compile(r"(?:\S+ ){1,3}(?:is|are|was|were|has)\b|(?:\S+ ){0,3}(?:I|we)\b")
_LEAD = re.compile(
    r"(?i)(?:i|we)(?= |'|$)|(?:my|our) [\w-]+(?= [a-z]+s )|(?:我们|咱们|我|咱|俺)(?:组|家)?"
)
_BEING = re.compile(r"(?i)(?:i'm|i am)\b")
_STATE = re.compile(r"[\w-]+(?:ing|ed|ic|an|free|ful|ous|ive|ent|ant)\b")
_REASON = re.compile(r"(?i)(?:so|because|cause|since|as|if|you|around|about)\b")
_THING = re.compile(r"(?i)\b(?:an?|the|my|our|two|three|some)\b")
_OF_SOMETHING = re.compile(r"\S+ (on|in|at|for|to|with|through|from|by|as|via) \S")
_BOTH = re.compile(
    r"(?P<head>.*?)(?P<first>(?P<one>[一两三几]\w)[^，,]{1,9}"
    r"|(?<=[了着过有用吃喝养订学教会说爱看玩买戴打])(?![了着过户])[^，,]{1,8}?)"
    r"(?:和|以及|、)(?P<second>(?(one)(?P=one))[^，,的]{1,9})(?P<tail>(?!.*(?:一起|[聊吵合同闹])).*)"
)
_ASIDE = re.compile(r"([^,]+), who ([^,]+), ([^,]+)")
_AT_ONCE = re.compile(r"(?P<who>.*?)一边(?P<first>.+?)[，,]?一边(?P<second>.+)")
_DAY = re.compile(r" \((?:[\d-]+ – )?(\d{4}-\d\d[\d-]*)\)$")


def drop_date(text: str) -> str:
    """A text without the date that was put behind it."""
    return _DAY.sub("", text)


def ahead(text: str, now: datetime) -> bool:
    """Whether the date behind a text has not passed."""
    day = _DAY.search(text)
    return day is not None and day[1] >= f"{now:%Y-%m-%d}"[: len(day[1])]


def halves(text: str, who: str) -> Iterator[tuple[str, str]]:
    """The two things that a sentence about ``who`` (nobody: the user) may say, each in words of its
    own, in either order, for each place where they may be joined.
    """
    for first, second in _split(text, who):
        if all(len(half) + len(HAN.findall(half)) >= _FEWEST for half in (first, second)):
            yield first, second
            yield second, first


def split_statement(text: str, worth: Callable[[str], bool]) -> Iterator[str]:
    """What a sentence of the user says, each thing by itself, where both sides of a join are
    ``worth`` it and have a subject of their own.
    """
    for parts in _split(text, ""):
        apart = parts[1] in text and (_SUBJECT.match(parts[1]) or _OWN_SUBJECT.match(parts[1]))
        if apart and not any(map(is_brief, parts)) and all(map(worth, parts)):
            yield parts[0]
            yield from split_statement(parts[1], worth)
            return
    yield text


def _split(text: str, who: str) -> Iterator[tuple[str, str]]:
    at_once, both, aside = (pattern.fullmatch(text) for pattern in (_AT_ONCE, _BOTH, _ASIDE))
    if at_once:
        yield at_once["who"] + at_once["first"], at_once["who"] + at_once["second"]
    elif both:
        first, second = (both["head"] + both[half] + both["tail"] for half in ("first", "second"))
        yield first, second
    if aside:
        yield f"{aside[1]} {aside[2]}", f"{aside[1]} {aside[3]}"
        return
    for join in load_patterns().phrases("joins").finditer(text):
        first, second = text[: join.start()].strip(), text[join.end() :].strip()
        second = _alone(second, first, who) if first and second else ""
        if second:
            yield first, second


def _alone(text: str, before: str, who: str) -> str:
    """The second half of a sentence with what it leaves to the first one: its subject, its verb.
    Empty where that is not known.
    """
    lead = _lead(before, who)
    if text.startswith("who "):  # "a tortoise who lives in the shed" is nobody's name
        return "" if _LEAD.fullmatch(lead) else f"{lead} {text[4:]}"
    for another, ending in ((_ANOTHER, ""), (_ANOTHERS, "'s")):
        if lead and (match := another.match(text)):
            return go_on(lead + ending, text[match.end() :])
    if _REASON.match(text) or load_patterns().phrases("leans").match(text):
        return ""
    if _SUBJECT.match(text) or _OWN_SUBJECT.match(text) or (who and text.startswith(who)):
        return text
    if HAN.search(text):
        named = load_patterns().phrases("somebody").match(text)
        return text if named else f"{lead}{text}"  # neither half may name its subject
    if not lead and not _SUBJECT.match(before) and not _OWN_SUBJECT.match(before):
        return _goes_on_as(text, before) or text  # "married to a nurse", after "vegan since 2019"
    return _goes_on_as(text, before) or _with_verb(text, before, lead)


def _lead(text: str, who: str) -> str:
    """The words that a sentence begins with, which say whom it is about."""
    if who and text.startswith(who):
        return who
    match = load_patterns().phrases("person_subject").match(text) or _LEAD.match(text)
    return match.group() if match else who


def _goes_on_as(text: str, before: str) -> str:
    """A thing in the place of the one before: "a boat", after "I have a car"; "Jira for tickets",
    after "we use Slack for chat".
    """
    thing, like = _THING.search(before), _OF_SOMETHING.match(text)
    if thing and _THING.match(text):
        return before[: thing.start()] + text
    if like and (same := re.search(rf"\S+ {like[1]} (?!.* {like[1]} )", before)):
        return before[: same.start()] + text
    return before.rpartition(" ")[0] + " " + text if " " not in text else ""


def _with_verb(text: str, before: str, lead: str) -> str:
    if not lead or text[0].isdigit():
        return ""
    being = "'m" if _BEING.match(before) and _STATE.match(text) else ""
    return f"{lead}{being} {text}"


def word_alone(candidate: Candidate) -> Candidate:
    """The candidate with a text that says it and nothing else, in the language it was said."""
    plain = drop_date(candidate.text)
    text = _phrase(candidate, plain)
    if not text or text == plain:
        return candidate
    day = _DAY.search(candidate.text)
    if candidate.predicate in relations():  # the day is that of what the person does
        return replace(candidate, text=text, valid_from=None, valid_to=None)
    dated = day and (candidate.valid_from is not None or candidate.valid_to is not None)
    return replace(candidate, text=text + (day.group() if day and dated else ""))


def _phrase(candidate: Candidate, content: str) -> str:
    subject, predicate, value = candidate.subject, candidate.predicate, candidate.value
    code = "zh" if HAN.search(content) else "en"
    vocabularies = {language.code: language.vocabulary for language in load_patterns().languages}
    words = vocabularies.get(code)
    if words is None or not subject or not value:
        return ""
    mine = subject == USER
    template = words.table("say_of_me" if mine else "say_of").get(predicate, "")
    relation = _relation(words.table("persons"), predicate, content)
    if relation:
        kind = ("say_of_me", "relation") if mine else ("say_of", "relative")
        template = words.table(kind[0]).get(kind[1], "")
    elif not mine and predicate not in _CONTACTS:
        cut = _from_name(content, subject)
        if cut and value in cut and not subject.islower():
            return cut
    if not template:
        return ""
    if not mine and (subject not in content or subject.islower()):  # known by the relation alone
        word = _relation(words.table("persons"), subject.replace(" ", "_"), content)
        if not word:  # a thing: it is said best as it was
            return ""
        subject = _fill(words.table("say_of").get("relation", ""), relation=word) or subject
    return _fill(template, subject=subject, value=value, relation=relation)


def _relation(persons: Mapping[str, str], predicate: str, content: str) -> str:
    """The word for the relation as it was said, if the predicate is one."""
    folded = content.lower()
    names = [word for word, relation in persons.items() if relation == predicate]
    as_said = [word for word in names if word in folded]
    return max(as_said, key=len) if as_said else next(iter(names), "")


def _from_name(content: str, name: str) -> str:
    """A clause from the name on, where only the relation stands before it: "my sister Ines …"."""
    place = content.find(name)
    before = content[:place].strip(" ,，") if place > 0 else ""
    return content[place:] if before and len(before) <= 24 and "," not in before else ""


def _fill(template: str, **parts: str) -> str:
    for name, text in parts.items():
        template = template.replace(f"{{{name}}}", text)
    return template

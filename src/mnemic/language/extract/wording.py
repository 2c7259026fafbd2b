"""A statement in words of its own, where a clause says several: "Ines is my sister", "Ines lives in
Kiel". The words are those of the clause as far as they can stand alone, else of the language's
templates (``[words.say_of_me]``, ``[words.say_of]``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mnemic.language.extract.entries import USER
from mnemic.language.extract.languages import built_in
from mnemic.language.extract.people import relations
from mnemic.types import Candidate

_HAN = re.compile(r"[\u4e00-\u9fff]")
_CONTACTS = frozenset({"email", "phone", "wechat"})
_DAY = re.compile(r" \(\d{4}-\d\d[\d –-]*\)$")


def undated(text: str) -> str:
    """A text without the date that was put behind it."""
    return _DAY.sub("", text)


def word_alone(candidate: Candidate) -> Candidate:
    """The candidate with a text that says it and nothing else, in the language it was said."""
    plain = undated(candidate.text)
    text = _worded(candidate, plain)
    if not text or text == plain:
        return candidate
    day = _DAY.search(candidate.text)
    if candidate.predicate in relations():  # the day is that of what the person does
        return replace(candidate, text=text, valid_from=None, valid_to=None)
    dated = day and (candidate.valid_from is not None or candidate.valid_to is not None)
    return replace(candidate, text=text + (day.group() if day and dated else ""))


def _worded(candidate: Candidate, content: str) -> str:
    subject, predicate, value = candidate.subject, candidate.predicate, candidate.value
    code = "zh" if _HAN.search(content) else "en"
    words = next((one.vocabulary for one in built_in().languages if one.code == code), None)
    if words is None or not subject or not value:
        return ""
    own = subject == USER
    template = words.table("say_of_me" if own else "say_of").get(predicate, "")
    relation = _relation(words.table("persons"), predicate, content)
    if relation:
        kind = ("say_of_me", "relation") if own else ("say_of", "relative")
        template = words.table(kind[0]).get(kind[1], "")
    elif not own and predicate not in _CONTACTS:
        cut = _from_name(content, subject)
        if cut and value in cut and not subject.islower():
            return cut
    if not template:
        return ""
    if not own and (subject not in content or subject.islower()):  # known by the relation alone
        said = _relation(words.table("persons"), subject.replace(" ", "_"), content)
        subject = _filled(words.table("say_of").get("relation", ""), relation=said) or subject
    return _filled(template, subject=subject, value=value, relation=relation)


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


def _filled(template: str, **parts: str) -> str:
    for name, text in parts.items():
        template = template.replace(f"{{{name}}}", text)
    return template

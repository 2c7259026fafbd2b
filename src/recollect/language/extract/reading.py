"""One message, sentence by sentence: which of its clauses say something, and what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.language.extract import chinese, english
from recollect.language.extract.corrections import corrected, correction
from recollect.language.extract.found import Found
from recollect.language.extract.products import find_product
from recollect.language.extract.rows import version
from recollect.language.extract.sentences import (
    GAP,
    Sentence,
    clauses,
    sentences,
)
from recollect.language.extract.subjects import (
    ENGLISH_START,
    GREETS,
    HAN,
    greeted,
    named_self,
    settled,
    subject_of,
    usual_words,
    with_subject,
    without_lead,
)
from recollect.language.extract.traps import (
    conditional,
    not_meant,
    opens_play,
    orders,
    past,
    told,
    unsure,
)
from recollect.language.extract.values import clean

LOOKBACK = 20  # messages of the user searched for what a correction corrects
_AGREED = re.compile(
    r"[\s，,]+(?:ok|okay|alright|please|thx|thanks)[?？!！.]*$|(?:，|,)?(?:可以吗"
    r"|好吗|行吗|好不好|行不行)[?？]*$",
    re.I,
)
_REQUEST = re.compile(r"(?:please|can|could|will|would|请|帮|麻烦|能)", re.I)
_FIRST_PERSON = re.compile(r"我|咱|本人|\b(?:i|i'm|my|we|our)\b", re.I)
_SECRET = re.compile(
    r"password|passwd|passphrase|api[ _-]?key|secret|token|credential|密码|口令|密钥"
    r"|令牌|验证码",
    re.I,
)
_NOT_DONE = re.compile(r"还没|没有|没(?=升|换|搬)|haven't|didn't|never|not yet", re.I)
_ALWAYS_HOLDS = frozenset({"birthday", "from", "deadline", "decision", "name"})


def read(text: str, before: Sequence[str] = ()) -> list[Found]:
    """What a message says; ``before`` are the user's earlier ones, oldest first."""
    found: list[Found] = []
    said = ""
    for sentence in sentences(text):
        if opens_play(sentence.text):
            break
        for one in _sentence(sentence, found, before, said):
            if not any(_same(one, other) for other in found):
                found.append(one)
        said += " " + sentence.text
    return found


def _same(one: Found, other: Found) -> bool:
    return (one.subject, one.predicate, one.value, one.withdraws) == (
        other.subject,
        other.predicate,
        other.value,
        other.withdraws,
    )


def _sentence(
    sentence: Sentence, found: Sequence[Found], before: Sequence[str], said: str
) -> Iterator[Found]:
    text = _AGREED.sub("", sentence.text)
    if text == GAP or _SECRET.search(text):
        return
    rules = chinese.rules if HAN.search(text) else english.rules
    asked_to = rules.remembered(text)
    really = not text.endswith(("?", "？")) or _REQUEST.match(text)
    if asked_to and really and GAP not in asked_to:
        yield from _asked(asked_to)
        return
    stated = told(text, clauses(text))
    if not stated:
        return
    put_right = _put_right(text, stated, _latest(found, before))
    if put_right:
        yield put_right
        return
    if not_meant(text):
        return
    whole = len(stated) == len(sentence.clauses)
    rule = rules.rule(without_lead(text)) if whole else None
    if rule and GAP not in rule.value:
        yield replace(rule, content=_tidy(text))
        return
    yield from _clauses(stated, before, said)


def _put_right(text: str, stated: Sequence[str], before: Iterator[Found]) -> Found | None:
    """A correction, perhaps with a word of explanation: "no, it's the 13th, I misread it"."""
    for part in (text, ", ".join(stated[:2]), stated[0]):
        value, old = correction(part)
        if value:
            return corrected(value, old, before)
    return None


def _clauses(stated: Sequence[str], before: Sequence[str], said: str) -> Iterator[Found]:
    about, ruled = "", False  # whom the clause before was about; a sentence has one rule
    joined = list(settled(greeted(stated)))
    for number, clause in enumerate(joined):
        if conditional(clause):
            return
        lead = clause if GREETS.match(clause) else without_lead(clause)
        usual = usual_words(lead)
        whole = with_subject(usual, about, first=not number)
        silent = about == "other" and not _FIRST_PERSON.search(whole)
        some = [] if silent else [one for one in _read_clause(whole) if _holds(one, clause, stated)]
        if not some and not number and len(joined) > 1:
            some = named_self(whole, joined[1])
        for one in some:
            complete = one if one.subject else _named(one, before, [said, *joined[:number]])
            if complete:
                yield replace(complete, content=_tidy(lead if whole == usual else whole))
        about = subject_of(some, whole, about)
        rule = None if some or ruled else _clause_rule(clause, joined)
        if rule:
            ruled = True
            yield replace(rule, content=_tidy(("，" if HAN.search(clause) else ", ").join(joined)))


def _clause_rule(clause: str, stated: Sequence[str]) -> Found | None:
    """A rule in a sentence that tells something else as well."""
    if len(stated) < 2 or orders(stated[0]):
        return None
    rules = chinese.rules if HAN.search(clause) else english.rules
    rule = rules.rule(without_lead(clause), part=True)
    lasting = rule and (rule.duration == "permanent" or rule.withdraws)
    return rule if rule and lasting and GAP not in rule.value else None


def _read_clause(clause: str) -> list[Found]:
    """The first row that fits, in the order of the groups."""
    folded = clause.lower()
    language = english if ENGLISH_START.match(clause) else chinese
    for group in language.GROUPS:
        if not any(word in folded for word in group.words):
            continue
        for pattern, reader in group.rows:
            match = pattern.match(clause)
            made = reader(match) if match else None
            if made:
                return made if isinstance(made, list) else [made]
    return []


def _holds(found: Found, clause: str, stated: Sequence[str]) -> bool:
    """Whether it is true now and meant: not a plan, not a habit of old, not part of an order."""
    if orders(stated[0]):
        return False
    if unsure(clause) and found.predicate not in ("decision", "deadline"):
        return False
    if found.is_update or found.withdraws or found.predicate in _ALWAYS_HOLDS:
        return not _NOT_DONE.search(clause)
    return not past(clause)


def _named(found: Found, before: Sequence[str], said: Sequence[str]) -> Found | None:
    """A version without a product is of the product last spoken of."""
    name = find_product(" ".join(said))
    if not name:
        for earlier in _latest((), before):
            if earlier.predicate == "version":
                name = earlier.subject
                break
    return version(name, found.value, update=True) if name else None


def _latest(found: Sequence[Found], before: Sequence[str]) -> Iterator[Found]:
    """What was said before, newest first."""
    yield from reversed(found)
    for text in reversed(before[-LOOKBACK:]):
        yield from reversed(read(text))


def _asked(wanted: str) -> Iterator[Found]:
    """What somebody asked to be remembered: by its slot, or else as it was said."""
    rules = chinese.rules if HAN.search(wanted) else english.rules
    parts = clauses(wanted)
    found = list(_clauses(parts, (), ""))
    if found:
        for one in found:
            yield replace(one, asked=True)
        return
    rule = rules.rule(wanted)
    made = rule or rules.note(wanted.strip(" .。!！"))
    yield replace(made, asked=True, content=_tidy(wanted))


def _tidy(text: str) -> str:
    return clean(text) if len(text) < 6 else text.strip(" ,，;；:：.。!！~～")

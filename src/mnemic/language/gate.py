"""The gate: whether a message wants memory, by rule, in a fraction of a millisecond.

Skipped first: what is very short, mainly code, or only a nod. Then, in this order, what refers to
something known: pronouns, times, projects, dates, files, preferences. Only then commands, so that
"change the script from last time" passes, and last questions; in the mode "referring" only those
for a figure, a date, a place or a name. Many verbs of commands begin a
question as well, as a noun or as its verb ("test coverage?", 部署流程是什么, 打开哪个端口), and is
no command then. A message none of this is true of wants no memory. The caller decides whether
there is a gate at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from mnemic.language.code import split_code
from mnemic.language.truncation import two_ends
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass
from mnemic.settings.recall import GateSettings

_CODE_SHARE = 0.5  # a message with more code than this wants no memory

WINDOW = 1_000  # of a long message, so many characters are read at each end
LONGEST_NOD = 60
LONGEST_NAME = 80
_LONGEST_SENTENCE = 300
_STORIES = ("tell me a ", "tell me an ", "tell me another ", "show me a ", "show me an ")
_FILE = WordFile("mnemic.language", "gate.toml")
pattern, words, phrases = _FILE.pattern, _FILE.words, _FILE.phrases


@cache
def nods() -> Mapping[str, tuple[str, ...]]:
    """What greets, thanks or agrees, by its first letter."""
    by_letter: dict[str, tuple[str, ...]] = {}
    for word in phrases("nods"):
        by_letter[word[0]] = (*by_letter.get(word[0], ()), word)
    return by_letter


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether memory is wanted, and the rule with the word that decided it."""

    wants: bool
    reason: str

    @property
    def rule(self) -> str:
        return self.reason.partition(":")[0]


def wants_memory(message: str, gate: GateSettings, projects: Collection[str] = ()) -> Verdict:
    """Judge one message; ``projects`` are the names of the projects that are known."""
    text = "\n".join(two_ends(message, WINDOW)).strip()
    if len(text) < gate.min_chars and len(text.encode()) < gate.min_chars:
        return Verdict(False, f"short: under {gate.min_chars} bytes")
    prose, share = split_code(text)
    if share > _CODE_SHARE:
        return Verdict(False, f"code: {share:.0%}")
    plain = pattern("url").sub(" ", prose).strip().lower().replace("’", "'")
    nod = _nod(plain)
    if nod:
        return Verdict(False, f"nod: {nod}")
    plain = _without_payload(plain)
    flat = f" {' '.join(pattern('english').findall(plain))} "
    reference = _reference(plain, flat, projects)
    if reference:
        return Verdict(True, reference)
    order = _order(plain)
    if order:
        return Verdict(False, f"command: {order}")
    referring = gate.mode == "referring"
    question = _find_field(plain, flat) if referring else _question(plain, flat)
    if question:
        return Verdict(True, f"question: {question}")
    return Verdict(False, "nothing: no rule matches")


def is_nod(message: str) -> bool:
    """Whether a message only greets, thanks or agrees."""
    return _nod(message.strip().lower().replace("’", "'")) is not None


def _nod(text: str) -> str | None:
    """The text, if it is made of nods and nothing else."""
    if not text or len(text) > LONGEST_NOD:
        return None
    if pattern("silent").fullmatch(text) and "?" not in text and "？" not in text:
        return text
    place = 0
    while place < len(text):
        candidates = nods().get(text[place], ())
        word = next((word for word in candidates if text.startswith(word, place)), "")
        place += len(word)
        if not word or _joins(word[-1], text[place : place + 1]):
            return None
        gap = pattern("nod_gap").match(text, place)
        place = gap.end() if gap else place
    return text


def _without_payload(text: str) -> str:
    """What is to be translated or polished asks for nothing: only the order before it counts."""
    head = text[:120]
    cut = min((place for mark in ':：\n"“「' if (place := head.find(mark)) > 0), default=0)
    order = head[:cut]
    return order if cut and any(word in order for word in phrases("handlers")) else text


def _reference(text: str, flat: str, projects: Collection[str]) -> str | None:
    """The rule and the word by which the text refers to something that may be known."""
    word = _find_listed("pronouns", text) or _find_listed("pronouns_en", flat)
    if word:
        return f"pronoun: {word}"
    word = _find_listed("times", text) or _find_listed("times_en", flat)
    if "前" in text or "过去" in text or "before" in text:
        word = word or _find_match("ago", text) or _find_match("past", text)
    if word:
        return f"time: {word}"
    word = _project(text, projects)
    if word:
        return f"project: {word}"
    word = _date(text, flat)
    if word:
        return f"date: {word}"
    word = _file(text)
    if word:
        return f"file: {word}"
    word = _find_listed("tastes", text) or _find_listed("tastes_en", flat)
    return f"preference: {word}" if word else None


def _date(text: str, flat: str) -> str | None:
    word = _find_listed("days_en", flat)
    if not word and pattern("maybe_date").search(text):
        word = _find_match("date", text)
    if not word and ("0" in flat or _find_listed("months_en", flat)):
        word = _find_match("date_en", flat)
    return word


def _find_listed(name: str, text: str) -> str | None:
    for word in phrases(name):  # a plain loop is the fastest here
        if word in text:
            return word.strip()
    return None


def _find_match(name: str, text: str) -> str | None:
    match = pattern(name).search(text)
    return match.group().strip() if match else None


def _project(text: str, projects: Collection[str]) -> str | None:
    for name in projects:
        folded = name.strip().lower()
        at = text.find(folded) if len(folded) > 1 else -1
        while at >= 0:
            end = at + len(folded)
            if not (
                _joins(text[at - 1 : at], folded[0]) or _joins(folded[-1], text[end : end + 1])
            ):
                return name.strip()
            at = text.find(folded, end)
    return None


def _joins(last: str, following: str) -> bool:
    """Whether two neighbours are of one word: both Latin letters or digits."""
    pair = last + following
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


def _file(text: str) -> str | None:
    for match in pattern("extension").finditer(text):
        start = match.start()
        while start and match.start() - start < LONGEST_NAME and _in_name(text[start - 1]):
            start -= 1
        name = text[start : match.end()]
        if start < match.start() and name not in words("not_files"):
            return name
    word = _find_listed("bare_files", text)
    if not word and ("/" in text or ":\\" in text):
        word = _find_match("path", text)
    return word


def _in_name(character: str) -> bool:
    return character.isalnum() or character in "_-."


def _order(text: str) -> str | None:
    """The verb of a command, if the text begins with one and is no question."""
    lead = pattern("lead_in").match(text)
    rest = text[lead.end() :] if lead else text
    polite = pattern("polite").match(rest)
    if polite:
        order = rest[polite.end() :]
        verb = next((verb for verb in phrases("orders") if order.startswith(verb)), None)
        question = polite["asked"].strip("能不否可以再先")
        if verb and (question or not _asks(verb, order)):
            return polite.group() + verb
        asks_help = polite["asked"].endswith(("请", "麻烦", "我", "帮忙"))
        if asks_help and not any(verb in order[:5] for verb in phrases("lookups")):
            return polite["asked"]
    polite_en = pattern("polite_en").match(rest)
    order = rest[polite_en.end() :] if polite_en else rest
    word = pattern("english").match(order)
    if word and word.group() in words("orders_en") and (order != rest or not _asks_en(order)):
        return word.group()
    return next((story.strip() for story in _STORIES if order.startswith(story)), None)


def _first_sentence(text: str) -> str:
    """Up to its end, without "ok?" there."""
    sentence = pattern("sentence_end").split(text[:_LONGEST_SENTENCE], maxsplit=1)[0]
    return pattern("tag").sub("", sentence)


def _asks(verb: str, order: str) -> bool:
    """Whether a text that begins with a verb of commands is a question: 测试通过了吗."""
    rest = order[len(verb) :]
    sentence = _first_sentence(order)
    if pattern("yes_or_no").search(sentence):
        return True  # whatever it is about: 测试这个接口了吗
    if pattern("object").match(order, len(verb)):
        return False
    marked = sentence.endswith(("?", "？"))
    if verb in words("explaining") and (not marked or pattern("wh").match(rest)):
        return False  # the question is what to explain: 解释为什么…
    return marked or _find_listed("questions", sentence) is not None


def _asks_en(order: str) -> bool:
    """The same for English verbs, of which a question begins only with those that are nouns."""
    verb, following, *_ = [*pattern("english").findall(order[:LONGEST_NAME]), ""]
    has_object = following in words("objects_en") or following.isdigit()
    if verb not in words("nouns_en") or has_object or pattern("object").match(order, len(verb)):
        return False
    sentence = _first_sentence(order)
    return sentence.endswith(("?", "？")) or _find_listed("questions", sentence) is not None


def _find_field(text: str, flat: str) -> str | None:
    """The words by which a text asks for a figure, a date, a place or a name."""
    cue = _find_listed("fields", text) or _find_match("counted", text)
    if cue or flat.isspace():
        return cue
    cue = _find_listed("fields_en", flat)
    return cue if cue and _question(text, flat) else None


def _question(text: str, flat: str) -> str | None:
    cue = _find_match("question_mark", text) or _find_listed("questions", text)
    if cue:
        return cue
    if flat.isspace():
        return None
    for word in (" but ", " and ", " so "):
        text = text.replace(word, "\n")
    for clause in pattern("clause_ends").split(text):
        first, _, rest = clause.strip()[:40].partition(" ")
        if first.partition("'")[0] in words("asking"):
            return first
        second = rest.partition(" ")[0]
        subjects = words("subjects") if first == "do" else words("all_subjects")
        if first in words("auxiliaries") and second in subjects:
            return f"{first} {second}"
    return _find_listed("indirect", flat)

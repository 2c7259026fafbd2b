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

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from mnemic.language import gate_words as words
from mnemic.language.code import compiled, split_code
from mnemic.language.truncation import two_ends
from mnemic.settings.recall import GateSettings

_CODE_SHARE = 0.5  # a message with more code than this wants no memory

WINDOW = 1_000  # of a long message, so many characters are read at each end
LONGEST_NOD = 60
LONGEST_NAME = 80
_LONGEST_SENTENCE = 300

_URL = r"(?:https?://|www\.)[^\s，。）)>\"']*+"
_SILENT = r"[\W_]*+"
_ENGLISH = r"[a-z0-9_']++"
_QUESTION_MARK = r"[?？](?![a-z0-9_=&])|么$"
_AGO = r"[\d一二两三四五六七八九十几半]个?(?:天|周|星期|礼拜|月|年|小时|分钟)(?:之|以)?前"
_PAST = r"过去的?[几一两二三四五六七八九十\d]|(?<![a-z])before(?= *[?!.,;]| *$)"
_MONTHS = "|".join(map(str.strip, words.MONTHS_EN))
_MAYBE_DATE = r"[\d月周期拜]"
_DATE = (
    r"(?<![\d.])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(?:19|20)\d\d(?:-\d\d(?!\d)| ?年)"
    r"|\d{1,2}/\d{1,2}/(?:\d{4}|\d\d)(?!\d)|\d{1,2} ?月(?: ?\d{1,2} ?[日号])?"
    r"|\d{1,2}号(?![码楼线店机房])|[一二三四五六七八九十]{1,2}月(?![亮饼天])"
    r"|(?<![一二两三四五六七八九十几半每数个\d])(?:周|星期|礼拜)[一二三四五六日天](?![次遍]))"
)
_DATE_EN = (
    rf" (?:(?:in|since|during|until|by|from) (?:(?:19|20)\d\d|{_MONTHS})"
    rf"|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})) "
)
_EXTENSION = rf"\.(?:{'|'.join(words.EXTENSIONS)})(?![a-z0-9_-]|\.[a-z0-9])"
_PATH = r"(?<![\w/.:~])(?:~|\.{1,2})?/[\w.\-]{1,60}/[\w.\-]{1,60}|(?<![a-z])[a-z]:\\\w{1,60}"
_CLAUSE_ENDS = '[.!?;,:，。！？；：、(（"“\n]++ *'
_NOD_GAP = r"[\s,，。.!！~～…、;；\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*+"
_LEAD_IN = (
    r"(?:(?:ok|okay|hey|hi|now|then|so|and|alright|great|thanks|thank you|sure|yes"
    r"|好的?|嗯|那么?|行|可以|然后|接着|现在)"
    r"[\s,.!:，。！、]+){0,3}"
)
_POLITE = (
    r"(?P<asked>(?:请|麻烦|劳烦)?(?:你|您)?(?:能不能|能否|可不可以|可否|可以|能)?(?:请|再|先)?(?:帮忙|帮我|给我|替我|为我|帮)?)"
    r"(?:再|先|快|来|用[^，。？?]{1,14}?(?=[写做画实]))?\s*"
)
_POLITE_EN = (
    r"(?:please |pls |kindly |just )?(?:(?:can|could|would|will) you (?:please |kindly |just )?"
    r"|i(?:'d| would) like you to |i (?:want|need) you to |help me (?:to )?|let's |go ahead and )?"
)
# Where a verb is given its object, it is an order, whatever is asked in the rest: 写一篇为什么…
_OBJECT = (
    r"(?<=[一个下])|\s*(?:一(?![共般直定旦样起向])|下|个|出(?![错现厂口处了故问])|成(?![功本绩果员为了])"
    r"|这|那|以下|上面|几(?![^?？]*[?？]))"
)
_YES_OR_NO = r"(?:[吗没]|(?<![什怎那这])么)\s*[?？]?$|(?:了没有|没有)\s*[?？]?$"
_WH = r"\s*有?(?:什么|啥|怎么|为什么|为何|谁|哪|如何|多少|是否)"
_SENTENCE_END = r"[。！!；;\n]|(?<=[?？])|\.(?=\s|$)"
# "…, ok?" asks for agreement to an order.
_TAG = (
    r"[\s，,]*(?:好吗|好不好|可以吗|可以么|行吗|行不行|可否"
    r"|(?<![a-z])(?:ok|okay|please|alright|(?:can|could|will|would) you))[\s?？!！。.]*$"
)


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
    plain = compiled(_URL).sub(" ", prose).strip().lower().replace("’", "'")
    nod = _nod(plain)
    if nod:
        return Verdict(False, f"nod: {nod}")
    plain = _without_payload(plain)
    flat = f" {' '.join(compiled(_ENGLISH).findall(plain))} "
    reference = _reference(plain, flat, projects)
    if reference:
        return Verdict(True, reference)
    order = _order(plain)
    if order:
        return Verdict(False, f"command: {order}")
    referring = gate.mode == "referring"
    question = _wanted_field(plain, flat) if referring else _question(plain, flat)
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
    if compiled(_SILENT).fullmatch(text) and "?" not in text and "？" not in text:
        return text
    place = 0
    while place < len(text):
        nods = words.NODS.get(text[place], ())
        word = next((word for word in nods if text.startswith(word, place)), "")
        place += len(word)
        if not word or _joins(word[-1], text[place : place + 1]):
            return None
        gap = compiled(_NOD_GAP).match(text, place)
        place = gap.end() if gap else place
    return text


def _without_payload(text: str) -> str:
    """What is to be translated or polished asks for nothing: only the order before it counts."""
    head = text[:120]
    cut = min((place for mark in ':：\n"“「' if (place := head.find(mark)) > 0), default=0)
    order = head[:cut]
    return order if cut and any(word in order for word in words.HANDLERS) else text


def _reference(text: str, flat: str, projects: Collection[str]) -> str | None:
    """The rule and the word by which the text refers to something that may be known."""
    word = _listed(words.PRONOUNS, text) or _listed(words.PRONOUNS_EN, flat)
    if word:
        return f"pronoun: {word}"
    word = _listed(words.TIMES, text) or _listed(words.TIMES_EN, flat)
    if "前" in text or "过去" in text or "before" in text:
        word = word or _matched(_AGO, text) or _matched(_PAST, text)
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
    word = _listed(words.TASTES, text) or _listed(words.TASTES_EN, flat)
    return f"preference: {word}" if word else None


def _date(text: str, flat: str) -> str | None:
    word = _listed(words.DAYS_EN, flat)
    if not word and compiled(_MAYBE_DATE).search(text):
        word = _matched(_DATE, text)
    if not word and ("0" in flat or _listed(words.MONTHS_EN, flat)):
        word = _matched(_DATE_EN, flat)
    return word


def _listed(listed: Iterable[str], text: str) -> str | None:
    for word in listed:  # a plain loop is the fastest here
        if word in text:
            return word.strip()
    return None


def _matched(pattern: str, text: str) -> str | None:
    match = compiled(pattern).search(text)
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
    both = last + following
    return len(both) == 2 and both.isascii() and both.isalnum()


def _file(text: str) -> str | None:
    for match in compiled(_EXTENSION).finditer(text):
        start = match.start()
        while start and match.start() - start < LONGEST_NAME and _in_name(text[start - 1]):
            start -= 1
        name = text[start : match.end()]
        if start < match.start() and name not in words.NOT_FILES:
            return name
    word = _listed(words.BARE_FILES, text)
    if not word and ("/" in text or ":\\" in text):
        word = _matched(_PATH, text)
    return word


def _in_name(character: str) -> bool:
    return character.isalnum() or character in "_-."


def _order(text: str) -> str | None:
    """The verb of a command, if the text begins with one and is no question."""
    lead = compiled(_LEAD_IN).match(text)
    rest = text[lead.end() :] if lead else text
    polite = compiled(_POLITE).match(rest)
    if polite:
        order = rest[polite.end() :]
        verb = next((verb for verb in words.ORDERS if order.startswith(verb)), None)
        asked = polite["asked"].strip("能不否可以再先")
        if verb and (asked or not _asks(verb, order)):
            return polite.group() + verb
        asks_help = polite["asked"].endswith(("请", "麻烦", "我", "帮忙"))
        if asks_help and not any(verb in order[:5] for verb in words.LOOKUPS):
            return polite["asked"]
    polite_en = compiled(_POLITE_EN).match(rest)
    order = rest[polite_en.end() :] if polite_en else rest
    word = compiled(_ENGLISH).match(order)
    if word and word.group() in words.ORDERS_EN and (order != rest or not _asks_en(order)):
        return word.group()
    return next((story.strip() for story in words.STORIES_EN if order.startswith(story)), None)


def _first_sentence(text: str) -> str:
    """Up to its end, without "ok?" there."""
    sentence = compiled(_SENTENCE_END).split(text[:_LONGEST_SENTENCE], maxsplit=1)[0]
    return compiled(_TAG).sub("", sentence)


def _asks(verb: str, order: str) -> bool:
    """Whether a text that begins with a verb of commands is a question: 测试通过了吗."""
    rest = order[len(verb) :]
    sentence = _first_sentence(order)
    if compiled(_YES_OR_NO).search(sentence):
        return True  # whatever it is about: 测试这个接口了吗
    if compiled(_OBJECT).match(order, len(verb)):
        return False
    marked = sentence.endswith(("?", "？"))
    if verb in words.EXPLAINING and (not marked or compiled(_WH).match(rest)):
        return False  # the question is what to explain: 解释为什么…
    return marked or _listed(words.QUESTIONS, sentence) is not None


def _asks_en(order: str) -> bool:
    """The same for English verbs, of which a question begins only with those that are nouns."""
    verb, following, *_ = [*compiled(_ENGLISH).findall(order[:LONGEST_NAME]), ""]
    given = following in words.OBJECTS_EN or following.isdigit()
    if verb not in words.NOUNS_EN or given or compiled(_OBJECT).match(order, len(verb)):
        return False
    sentence = _first_sentence(order)
    return sentence.endswith(("?", "？")) or _listed(words.QUESTIONS, sentence) is not None


# Any measure word after 几, unless it stands for "some"; a field and what it is.
_COUNTED = (
    r"(?<![好这那前后近十百千第没头上])几[\u4e00-\u9fff]"
    r"|(?:型号|序列号|编号|尺寸|颜色|品牌|牌子|价格|账号|地址|端口|域名|电话|号码|生日|车牌|路径|目录|分支"
    r"|负责人|截止日期|版本)[^，。！？?]{0,4}(?:是|叫|为)?(?:什么|多少|哪|谁|几)"
)


def _wanted_field(text: str, flat: str) -> str | None:
    """The words by which a text asks for a figure, a date, a place or a name."""
    cue = _listed(words.FIELDS, text) or _matched(_COUNTED, text)
    if cue or flat.isspace():
        return cue
    cue = _listed(words.FIELDS_EN, flat)
    return cue if cue and _question(text, flat) else None


def _question(text: str, flat: str) -> str | None:
    cue = _matched(_QUESTION_MARK, text) or _listed(words.QUESTIONS, text)
    if cue:
        return cue
    if flat.isspace():
        return None
    for word in (" but ", " and ", " so "):
        text = text.replace(word, "\n")
    for clause in compiled(_CLAUSE_ENDS).split(text):
        first, _, rest = clause.strip()[:40].partition(" ")
        if first.partition("'")[0] in words.ASKING:
            return first
        second = rest.partition(" ")[0]
        subjects = words.SUBJECTS if first == "do" else words.ALL_SUBJECTS
        if first in words.AUXILIARIES and second in subjects:
            return f"{first} {second}"
    return _listed(words.INDIRECT, flat)

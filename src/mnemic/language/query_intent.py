"""Intent of a query, by its wording: the kind of evidence that answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from mnemic.language.dates.query_dates import PartialDate, find_date
from mnemic.patterns import defer

# What the agent said is told in the past; "would you suggest" and "can you give" want new words.
_OF_ASSISTANT = defer(
    r"\b(?:did|have|had) you\b"
    r"|\byou(?:'ve| have|'d| had)? (?:advised|described|explained|gave|given|listed|mentioned"
    r"|proposed|provided|recommended|said|showed|shown|suggested|told|wrote|written)\b"
    r"|\byour (?:(?:earlier|last|previous) )?(?:advice|answer|explanation|recommendation|reply"
    r"|response|suggestion)"
    r"|你(?:曾经?|之前|以前|刚才|刚刚|当时|上次)[^，。？！]{0,4}(?:说|推荐|建议|提到|告诉|解释|介绍|列)"
    r"|你[^，。？！]{0,2}(?:说|推荐|建议|提到|告诉|解释|介绍|列)(?:过|了|我?的)",
    re.I,
)
_FOR_HELP = defer(
    r"\b(?:can|could|would|will) you\b|\b(?:help|show) me\b|\bhow do (?:i|we)\b"
    r"|\b(?:how|what|when|where|which)\b[^.?!]{0,40}\b(?:can|could|should|would) (?:i|we|you)\b"
    r"|\bany (?:advice|ideas?|recommendations?|suggestions?|tips)\b|(?:^|[.!?]\s+)how to\b"
    r"|\bdo you (?:think|recommend|suggest)\b"
    r"|\bwhat are (?:some|the) (?:best|common|different|good|typical|usual)\b"
    r"|\bi(?:'m| am) (?:about|going|looking|planning|trying|working)\b"
    r"|帮我|帮个?忙|怎么(?:办|安排|弄|处理)|你(?:觉得|看)我|(?:^|[，。？！\s]|我(?:应?该|要)?)如何"
    r"|我(?:应?该|要|能)怎么|我(?:应?该)(?:用|选|买|去|穿|吃)|(?:给|向)我(?:推荐|建议|写|做|列|讲|出)"
    r"|推荐(?:一|几|些|个|点)|你(?:会|有什么|有没有)[^，。？！]{0,2}(?:推荐|建议)"
    r"|(?:能不能|可不可以|能否|可以)(?:帮|给我|教我|告诉我)",
    re.I,
)
_OF_OWN_PAST = defer(
    r"\b(?:did|had|have|was|were) (?:i|we)\b|\b(?:i|we) (?:asked|brought|mentioned|said|told)\b"
    r"|\bremember|\bremind me"
    r"|我(?:们)?[^，。？！]{0,4}(?:说过|提过|讲过|聊过|提到)|记得|过(?:吗|没有|什么)",
    re.I,
)
_OF_WHOLE = defer(
    r"\bsummar(?:y|i[sz]e)|\boverview\b|\brecap\b|\btimeline\b|\bthe order (?:in which|of)\b"
    r"|\bin (?:chronological )?order\b(?! (?:to|for)\b)|\bacross (?:all|my|our)\b|\bthroughout\b"
    r"|\bover time\b|\bevol(?:ved?|ving|ution)\b|\bprogress(?:ed|ion)\b"
    r"|总结|概括|概述|回顾|梳理|复盘|时间线|先后|顺序|来龙去脉|整个过程|一路(?:以来|走来)",
    re.I,
)
_OF_PAST = defer(
    r"\b(?:before|previous(?:ly)?|used to|did \w+ use to|former(?:ly)?|earlier|original(?:ly)?"
    r"|initial(?:ly)?|past|history|first(?! (?:name|language)\b)|(?<!how )old|back then"
    r"|at the time|chang(?:e[ds]?|ing)|switch(?:ed)?|no longer|anymore|ever|once)\b"
    r"|以前|之前|原来|原先|曾|过去|当初|当时|那时|最初|最早|起初|早先|历史|旧|换过|改过|变过|变化|变更"
    r"|上一个|上个|前一个|前任|不再",
    re.I,
)

_FOR_TIME = defer(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow (?:long|old|recently)\b"
    r"|\bhow many (?:days|weeks|months|years|hours)\b"
    r"|什么时候|何时|哪[天年月]|几[月号点]|星期几|周几|哪一[天年]|多久|多长时间|日期|时间",
    re.I,
)
_FOR_NUMBER = defer(r"\bhow (?:many|much|often|old|far|tall|big)\b|多少|几|多[大高远重]", re.I)


@dataclass(frozen=True, slots=True)
class QueryIntent:
    """What kind of evidence a query is after.

    ``for_help``: something is to be done now, and what the user wants it like is evidence.
    ``of_whole``: a course of things, told in many places. ``for_time``, ``for_number``: the answer
    is a time or a number.
    """

    of_assistant: bool
    for_help: bool
    of_whole: bool
    date: PartialDate | None
    for_time: bool = False
    for_number: bool = False

    @property
    def wide(self) -> bool:
        """Whether a text may be wanted for something else than how well it fits by itself."""
        return self.for_help or self.of_whole or self.date is not None


_RECENT = defer(
    r"\b(?:recent(?:ly)?|lately|latest|these days|just now|(?:last|past) (?:few|couple of) days)\b"
    r"|最近|近来|近期|这几天|这两天|这阵子|刚才|刚刚|眼下",
    re.I,
)


_ASKING = defer(
    r"\b(?:do|can|did) you (?:still |also )?(?:remember|recall|know)\b"
    r"|(?:你|您)?(?:还|是否)?记(?:不记)?得",
    re.I,
)


def without_asking(query: str) -> str:
    """A query without the words that only ask whether something is remembered."""
    return _ASKING.sub(" ", query)


def asks_recent(query: str) -> bool:
    """Whether a query asks for what was last, whatever it was."""
    return bool(_RECENT.search(query))


def asks_of_past(query: str) -> bool:
    """Whether a query is after what was, rather than what is."""
    return _OF_PAST.search(query) is not None


def read_intent(query: str, now: datetime | None = None) -> QueryIntent:
    """Read the wording of a query; without ``now`` no date that is counted from it."""
    of_assistant = _OF_ASSISTANT.search(query) is not None
    of_whole = _OF_WHOLE.search(query) is not None
    of_record = of_assistant or of_whole or _OF_OWN_PAST.search(query) is not None
    return QueryIntent(
        of_assistant=of_assistant,
        for_help=not of_record and _FOR_HELP.search(query) is not None,
        of_whole=of_whole,
        date=find_date(query, now),
        for_time=_FOR_TIME.search(query) is not None,
        for_number=_FOR_NUMBER.search(query) is not None,
    )

"""Clauses made whole: whom each is about, and the few wordings that mean the same made one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.language.extract.found import USER, Found
from recollect.language.extract.products import product
from recollect.language.extract.values import person

HAN = re.compile(r"[\u4e00-\u9fff]")
_LEAD = re.compile(
    r"(?:(?:quick intro|for (?:email|notes|chat|docs|work|personal stuff|diagrams"
    r"|design|tickets|builds|ci|editing|coding|writing)(?= (?:i|we) )|well|btw|by "
    r"the way|also|hi|hey|hello|ok|okay|so|oh|yes|yeah|yep|actually|fyi|just so you "
    r"know|for the record|for context|for your information"
    r"|as you know|please note that|note that|to be clear|anyway|and|but|honestly"
    r"|personally|first|second|quick update|update|good news|great|thanks|thank you"
    r"|in fact|basically|just|plus|for me|because|since|these days|nowadays|at the "
    r"moment|right now|at work|these days|after that|about me|unfortunately|sadly"
    r"|turns out|the thing is|then|however|although|though|while)[\s,:!]+)+",
    re.I,
)
_LEAD_ZH = re.compile(
    r"(?:(?:嗯|哦|啊|对了|另外|还有|顺便说一?句|顺便|其实|不过|但是|但|而且|因为"
    r"|由于|所以|然后|首先|其次|说实话|老实说|讲真|话说|补充一下|更新一下|介绍一下"
    r"|自我介绍一下|先说明一下|说一下"
    r"|告诉你|跟你说|和你说|你好|您好|大家好|嗨|好的?|是的|对|没错|毕竟|总之|目前"
    r"|现在|如今|最近|平时|同时|并且|以及|此外|最后|终于|后来|今年|昨天|上周|上个?月"
    r"|去年|前几天|这周|虽然|尽管|说明一下|汇报一下|好消息|刚刚?)[，,：:！! ]*)+"
)
GREETS = re.compile(
    r"(?:hi|hello|hey)[\s,!]+(?=(?:i'm|i am|this is) )|(?:你好|您好|大家好|嗨|哈喽)"
    r"[，,！! ]*(?=我是)",
    re.I,
)
_GREETING = re.compile(r"hi|hello|hey|你好|您好|大家好|嗨|哈喽", re.I)
_NAMED = re.compile(r"(?:它|她|他)?(?:的?名字)?(?:名|就)?叫")
_DROPPED_I = re.compile(
    r"(?:just |finally |recently |really |personally |absolutely |still )*"
    r"(?:upgraded|updated|installed|pinned|rolled back|switched|moved|migrated"
    r"|bumped|joined|turned|stopped using|ditched|became"
    r"|replaced|swapped|can't stand|can't eat|never (?:really )?liked|don't "
    r"(?:really )?(?:like|care for|eat)|hate|love|prefer|live in|no longer|went "
    r"back to|picked|uninstalled|decided|settled on|got a)\b",
    re.I,
)
_DROPPED_AM = re.compile(
    r"(?:been )?(?:still |currently |now |just |originally )*(?:living|based|stuck "
    r"on|allergic to|using|running|on (?=[\w.]+ \d)|at (?=[A-Z])|working (?:at|for)"
    r"|from (?=[A-Z])|not a (?:big |huge )?fan of|not into|not big on|into|learning"
    r"|vegan|vegetarian|married)\b"
)
_TOPIC = re.compile(
    r"[^我他她你您它谁说问让给帮跟和]{1,10}我(?=(?:个人|一般|平时|都|比较|更|最|很"
    r"|还是|就|也|一直|真的)*(?:喜欢|偏好|偏爱|习惯|讨厌|不喜欢|不爱|爱[吃喝]|用"
    r"|倾向))"
)
_CLEARLY_MINE = re.compile(
    r"(?:一直|目前|现在|平时|最|很|真的|特别|超|比较|不太|更|个人)*(?:住在|喜欢|讨厌"
    r"|不喜欢|受不了|超?爱(?=[吃喝看听玩用])|习惯看|更习惯|偏好|对.{1,8}过敏|养了"
    r"|从事|今年\d)"
)
_BEEN = re.compile(r"^(i|w)e?(?:'ve| have|ve) been ", re.I)
_MIXED = re.compile(
    r"我们?\s?(?:已经|现在|目前|最近|刚|一直|都|的)*\s?(?=(?:live|use|no longer"
    r"|prefer|like|love|hate|work|decided|switched|moved|am|upgraded|don't|speak"
    r"|using|stopped|can't)\b)"
)
# English words as they stand in Chinese sentences; the patterns know the Chinese ones.
_CHINESE = {
    "name": "名字", "editor": "编辑器", "team": "团队", "decide": "决定", "switch": "换",
    "upgrade": "升级", "update": "更新", "prefer": "偏好", "like": "喜欢", "love": "喜欢",
    "hate": "讨厌", "use": "用", "using": "在用", "version": "版本", "birthday": "生日",
    "join": "加入", "work": "工作", "os": "系统", "browser": "浏览器", "timezone": "时区",
}  # fmt: skip
_WORDS = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(_CHINESE)})(?![A-Za-z])(?=[\u4e00-\u9fff]|$)", re.I
)
_HAN_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) +| +(?=[\u4e00-\u9fff])")
_I_SAID = re.compile(r"(?:i|i'm|i am|hi|hello)\b", re.I)
ENGLISH_START = re.compile(
    r"(?:i|i'm|i've|we|we're|we've|my|our)\s(?=[A-Za-z])|[^\u4e00-\u9fff]*$", re.I
)
_I_AM = re.compile(r"(?:[Ii]'m|[Ii] am|[Ii]m) ([A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)")
_GOES_ON = re.compile(r"(?:i|an?|the|from|and|my|we|\d)\b|[^a-z]?(?:live|work|run)", re.I)
_THAT_IS_FINAL = re.compile(
    r"(?:and )?(?:that's|it's|this is|that is) (?:decided|settled|final|official"
    r"|the decision|a done deal)|end of (?:story|discussion)|(?:已经|就这么|这事"
    r"|都)*(?:定了|决定了|说定了|拍板了|敲定了|同意了)|大家都?(?:同意|没意见)了?",
    re.I,
)
_MADE_UP = re.compile(
    r"(?:i|we)(?:'ve| have)? (?:finally )?made up (?:my|our) minds?|decision(?:'s)? "
    r"(?:is )?made|it's (?:decided|settled)|we talked it (?:over|through)"
    r"|(?:技术)?.{0,6}?(?:已经|就这么|终于)?(?:定了|定下来了|敲定了|拍板了|想好了"
    r"|考虑好了|想清楚了|决定了)|(?:跟.{1,6}|我们|和.{1,6}|大家|老板|领导|客户|评审"
    r"|内部|家里)?(?:商量|讨论|开会|同意|通过|批|点头|评审)(?:了|了一下|过了|好了"
    r"|完了|了半天|定了)",
    re.I,
)
_WILL = re.compile(
    r"^(?:(?:we|i)(?:'ll| will|'re going to| are going to|'m going to| am going to"
    r"|'re| are|'m| am)? |我们?(?:还是|就|打算|准备)?|打算|准备)",
    re.I,
)
_OTHERS = re.compile(
    r"[他她它你您]|我(?:的|家|们?的?)?(?:朋友|同事|同学|室友|邻居|老板|领导|客户|"
    r"[老小]?[弟妹哥姐]|表|堂|闺蜜|哥们|舍友|师[兄弟姐妹]|[爸妈爷奶]|父|母|老婆|老公"
    r"|妻|丈夫|媳妇|对象|女友|男友|女朋友|男朋友|儿子|女儿|孩子|娃)"
    r"|(?:he|she|they|it|you|my (?:friend|boss|colleague|coworker|co-worker"
    r"|neighbou?r|manager|brother|sister|mom|mum|dad|mother|father|wife|husband"
    r"|partner|roommate|cousin|son|daughter|parents|team lead|teacher|client"
    r"|girlfriend|boyfriend)|the (?:client|customer|vendor|user|new (?:guy|hire"
    r"|intern)))\b",
    re.I,
)
_BARE_VERB = re.compile(
    r"(?:live|work|use|prefer|hate|speak|like|love|enjoy|moved|switched|have an?|am"
    r"|don't like)\b",
    re.I,
)
_BARE_AGE = re.compile(r"\d{1,2} years old$")
_BARE_HAN = re.compile(
    r"(?:今年|现在|目前|平时|一直|主要|也|还|最|很|特别|更|不)*\s?(?:住|母语|专业"
    r"|老家|生日|base|在|喜欢|讨厌|爱|用|对|是|养|有|叫|做|会|偏好|偏爱|吃素|来自|姓"
    r"|习惯|\d{1,2}岁|单身|已婚|结婚|从事|搬)"
)


def named_self(clause: str, following: str) -> list[Found]:
    """The name in "I'm Priya, I run the design team": more about the speaker follows."""
    match = _I_AM.fullmatch(clause)
    if not match or not _GOES_ON.match(following) or product(match[1]) or not person(match[1]):
        return []
    return [Found("identity", USER, "name", match[1])]


def settled(stated: Iterable[str]) -> Iterator[str]:
    """Decisions said to be such: "we'll use SQLite, that's final", "it's settled, we wait"."""
    parts = list(stated)
    for number, clause in enumerate(parts):
        following = parts[number + 1] if number + 1 < len(parts) else ""
        before = parts[number - 1] if number else ""
        if _THAT_IS_FINAL.fullmatch(following) or _MADE_UP.fullmatch(before):
            bare = _WILL.sub("", clause)
            yield f"决定{bare}" if HAN.search(clause) else f"we decided to {bare}"
        elif not _THAT_IS_FINAL.fullmatch(clause):
            yield clause


def greeted(stated: Sequence[str]) -> Iterator[str]:
    """A greeting with what follows it: in "Hi, I'm Ann" that is a name."""
    greeting = ""
    for clause in stated:
        if _GREETING.fullmatch(clause):
            greeting = f"{clause}, "
        else:
            joined = greeting + clause
            yield joined if GREETS.match(joined) else clause
            greeting = ""


def subject_of(found: Sequence[Found], clause: str, before: str) -> str:
    """Whom a clause is about: user, pet, other, or nobody in particular."""
    if any(one.predicate == "pet" for one in found):
        return "pet"
    if _OTHERS.match(clause):
        return "other"
    if any(one.subject == USER for one in found) or _starts_with_me(clause):
        return "user"
    return "other" if before == "other" else ""


def _starts_with_me(clause: str) -> bool:
    return clause.startswith(("我", "本人")) or bool(_I_SAID.match(clause))


def without_lead(clause: str) -> str:
    """A clause without the words that only lead up to it: "by the way", "其实"."""
    lead = _LEAD_ZH.match(clause) if HAN.search(clause) else _LEAD.match(clause)
    rest = clause[lead.end() :] if lead else clause
    return rest or clause


def with_subject(clause: str, about: str, *, first: bool) -> str:
    """A clause that leaves out its subject, with that of the clause before it."""
    if about == "pet" and _NAMED.match(clause):
        return f"我家宠物{clause[clause.index('叫') :]}"
    if _DROPPED_I.match(clause):
        return f"I {clause}"
    if _DROPPED_AM.match(clause):
        return f"I'm {clause.removeprefix('been ').removeprefix('Been ')}"
    if _TOPIC.match(clause):
        return clause[clause.index("我") :]
    if about != "user" and not (first and _CLEARLY_MINE.match(clause)):
        return clause
    if _BARE_HAN.match(clause):
        return f"我{clause}"
    if _BARE_VERB.match(clause):
        return f"I {clause}"
    return f"I'm {clause}" if _BARE_AGE.match(clause) else clause


def usual_words(clause: str) -> str:
    """Wordings that mean the same made one: "I've been using" is "I'm using"."""
    if ENGLISH_START.match(clause):
        return _BEEN.sub(lambda match: "we're " if match[1] in "wW" else "I'm ", clause)
    if not clause[:1].isascii() and (mixed := _MIXED.match(clause)):
        return f"{'we' if '们' in mixed.group() else 'I'} {clause[mixed.end() :]}"
    return _WORDS.sub(_word, _HAN_GAP.sub("", clause))


def _word(match: re.Match[str]) -> str:
    return _CHINESE[match.group().lower()]

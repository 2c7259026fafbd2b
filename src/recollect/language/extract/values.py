"""Whether words can be the value of a statement, and how they are kept."""

from __future__ import annotations

import re

from recollect.language.extract.products import canonical, ordinary, product
from recollect.language.extract.sentences import GAP

_TAIL_EN = re.compile(
    r"(?:\s+(?:now|nowadays|these days|currently|at the moment|right now|too|as well"
    r"|already|btw|by the way|though|actually"
    r"|instead|for now|anymore|any more|any longer|today|again|please|lol|at the "
    r"office|at work|every day|all the time"
    r"|for everything|most of the time|a lot|very much|so much|the most|more than "
    r"anything|thanks|by default|(?:since|for|because) .{1,60}"
    r"|after .{1,40}|(?:a|two|three|\d+) \w+ ago|last \w+|yesterday|this (?:week"
    r"|month|year|morning)|with (?:my|the) .{1,40}))+$",
    re.I,
)
_TAIL_ZH = re.compile(
    r"(?:了|啦|哦|呀|啊|喔|噢|哈|的|吧|呢|嘛|来着|一下|就行|就好|就可以|即可|为主|而已|好了)+$"
)
_LEAD_ZH = re.compile(r"^(?:了|的是|的都是|的|到(?=了)|是)\s?")
_POINTS_EN = re.compile(
    r"(?:it|this|that|these|those|them|him|her|you|me|us|your|the (?:idea|way|look"
    r"|sound|first|second|third|last|new|one|other|result|answer|part|fact"
    r"|following|same|above|latter|former)|how|where|what|when|who|why|to think|to "
    r"know|to see|to have|to be|to say|to believe|one|some|something|someone|things?"
    r"|here|there|so|and|or|to hear|everything|nothing|anything|a lot|both|each|not"
    r"|anymore|any more|any longer|too much)\b",
    re.I,
)
_POINTS_ZH = re.compile(
    r"(?:你|您|他|她|它|这|那|哪|什么|谁|的|了|和你|跟你|上面|刚才|同样|一个人|上了"
    r"|不了|着|过|得|到|死|说|听你|其中|第[一二三]|来|去|看看|试试)"
)
_PLACE_STOP = frozenset(
    "a an the my this that fear hope here there it one two three pain peace our your his her their"
    " fact general case order terms need trouble love charge town bed sin denial school college"
    " person practice python go java rust private public debt harmony poverty".split()
)
_ARTICLE = re.compile(r"^(?:a|an|the|my|our|some|using|to use|to)\s+", re.I)
_PERSON_STOP = frozenset(
    "not a an the so very just really here there going trying looking working using sure sorry glad"
    " happy done ready back fine good ok okay new tired busy sick hungry stuck curious confused"
    " interested from in on at your my it that this chinese english american german french british"
    " japanese korean indian spanish italian canadian dutch russian swedish catholic christian"
    " muslim jewish buddhist vegan vegetarian gay bi trans male female single married".split()
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪"
    "范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤欧尚司诸上"
)
_LATIN_NAME = re.compile(r"[A-Z][\w'-]{0,20}(?: (?:[A-Z][\w'.-]{0,20}|de|van|von|da|bin|al)){0,3}")
_LOWER_NAME = re.compile(r"[a-z][a-z'-]{1,15}(?: [a-z][a-z'-]{1,15})?")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff·]{1,6}")
_PLACE_EN = re.compile(
    r"(?:the )?(?:(?:north|south|east|west|central|downtown|upstate|northern"
    r"|southern|eastern|western|suburban) )?[A-Z][\w.'-]*"
    r"(?:,? (?:[A-Z][\w.'-]*|of|de|la|upon|the|and|near|city|area|district)){0,5}"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def clean(text: str) -> str:
    """Without what trails behind: "Paris these days", "北京了"."""
    text = text.strip(" .。,，!！?？~～:：、;；\"'“”「」")
    while True:
        shorter = _TAIL_ZH.sub("", _TAIL_EN.sub("", text)).strip() or text
        if shorter == text:
            return text
        text = shorter


def thing(text: str, longest: int = 60) -> str:
    """Something one can like or do: any words that do not only point at something else."""
    value = _LEAD_ZH.sub("", clean(text))
    if not value or GAP in value or len(value) > longest or len(value.split()) > 12:
        return ""
    if _POINTS_EN.match(value) or _POINTS_ZH.match(value):
        return ""
    return value


def statement(text: str) -> str:
    """Words kept whole, as of a decision."""
    value = text.strip(" .。,，!！~～:：、;；")
    return "" if GAP in value or _POINTS_EN.match(value) or len(value) < 2 else value


def place(text: str) -> str:
    """A place: written with a capital, or in lower case by somebody who never uses capitals."""
    value = _LEAD_ZH.sub("", clean(text))
    if not value or GAP in value or _POINTS_ZH.match(value):
        return ""
    if _HAN.search(value):
        return value if len(value) <= 20 else ""
    value = value.removeprefix("the city of ")
    if product(value) and not ordinary(value):
        return ""
    if found := _PLACE_EN.fullmatch(value):
        return found.group().removesuffix(" area")
    words = value.split()
    if (
        value.islower()
        and len(words) <= 3
        and words[0] not in _PLACE_STOP
        and value.replace(" ", "").isalpha()
    ):
        return value
    return ""


def person(text: str) -> str:
    """The name of a person."""
    value = clean(text)
    if not value or GAP in value or value.split()[0].lower() in _PERSON_STOP:
        return ""
    if _HAN_NAME.fullmatch(value):
        return value
    return value if _LATIN_NAME.fullmatch(value) or _LOWER_NAME.fullmatch(value) else ""


def han_name(text: str) -> str:
    """A Chinese name by its surname."""
    value = clean(text)
    return (
        value
        if value[:1] in _SURNAMES and 2 <= len(value) <= 4 and _HAN_NAME.fullmatch(value)
        else ""
    )


def tool(text: str, *, known: bool = False) -> str:
    """A product: one that is known, or one that is written as a name."""
    value = clean(text)
    bare = _ARTICLE.sub("", value)
    if product(bare):
        return canonical(bare)
    if product(value):
        return canonical(value)
    if known or not value or GAP in value or len(value.split()) > 4:
        return ""
    return bare if _looks_named(bare) else ""


def _looks_named(value: str) -> bool:
    words = value.split()
    if not words or not value.isascii() or ordinary(value) or _POINTS_EN.match(value):
        return False
    return (
        words[0][0].isupper()
        or any(c.isdigit() or c in ".-_+#" for c in value)
        or any(c.isupper() for c in value)
    ) and all(re.fullmatch(r"[\w.+#/@-]+", word) for word in words)

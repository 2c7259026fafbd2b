"""Passwords, codes and security answers in plain Chinese: 密码是芝麻开门, 银行卡密码六个八."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.secrets.values import value_end
from mnemic.language.secrets.words import reads_as_han_value

Span = tuple[str, int, int]
# One of these is in every name below that is not in Latin letters.
HINTS = ("码", "碼", "口令", "答案", "验证器", "助记", "助記", "短语")

_NOTE = r"(?:\s?[（(][^）)\n]{0,24}[）)])?"
_ADVERB = "(?:现在|目前|就|还|仍|都|也|已经?|今天|昨天|刚刚?|重新|暂时|我|给|你|[没不]变，?)"
_SAYS = (
    rf"(?P<says>{_NOTE}\s{{0,2}}(?:{_ADVERB}){{0,3}}(?:是|為|为|叫|改成|改为|设成|设为|设置为"
    rf"|设置成"
    rf"|换成|换为|变成|重置为|重置成|更新为|显示)(?:了|的是)?[:：]?\s{{0,2}}"
    rf"|\s?[:：=＝]\s{{0,2}})?"
)
_PASSWORD = re.compile(rf"(?P<noun>密码|口令|密碼)(?!学|本|锁|鎖|管理|[器框表]){_SAYS}\s{{0,2}}")
_DIGITS = re.compile(
    r"[#*]?(?:[0-9]{3,10}(?:-[0-9]{2,6}){0,3}|[0-9]{1,3}(?:[- ][0-9]{1,3}){2,7})[#*]?"
    r"(?![0-9A-Za-z.])(?!\s?(?:位|个|年|月|天|字符|次|小时|分|秒|元|块|号|多|到|至|-|~|%))"
)
_NUMERALS = re.compile(
    "(?:(?:[一二两三四五六七八九十]个[零〇一二三四五六七八九0-9]){1,4}"
    "|[零〇一二三四五六七八九幺]{3,12})"
    "(?![位个年月天字次小分秒元块号多十百千万])"
)
_HAN = re.compile("[\u4e00-\u9fff]{2,13}")
_HAN_STOP = re.compile(r"\s*(?:$|[\n，。；！、,.;!”」』\"'）)])")
_QUOTED_HAN = re.compile("[“「『\"']([\u4e00-\u9fff]{2,12})[”」』\"']")
# 财富密码 and 生命的密码 are figures of speech.
_FIGURE = re.compile(
    "(?:财富|流量|生命|成功|基因|遗传|幸福|人生|历史|文化|健康|快乐|达芬奇|摩斯|摩尔斯|宇宙"
    "|涨粉)的?$"
)
_ASCII = re.compile(r"[!-~]")
_CODE_NOUN = (
    "验证码|驗證碼|校验码|动态码|动态口令|动态密码|安全码|授权码|恢复码|备用码|开门码|解锁码"
    "|撤防码|门禁码|开锁码"
    "|PIN\\s?码|PIN|pin码|CVV2?|CVC2?|cvv|cvc|验证器上?|密码锁|密码器|一次性密码"
)
_CODE = re.compile(rf"(?<![A-Za-z])(?:{_CODE_NOUN})(?![A-Za-z]){_SAYS}\s{{0,2}}(?=[#*A-Za-z0-9G])")
_CODE_VALUE = re.compile(
    rf"(?:{_DIGITS.pattern}|[A-Z0-9]{{4}}(?:-[A-Z0-9]{{4}}){{1,5}}|[a-z]{{16}}(?![a-z]))"
)
_MORE = re.compile(r"\s?(?:[、,，和]|还有)\s?")
_CODE_AFTER = re.compile(
    r"(?<![0-9])([0-9]{4,8})\s?(?:是|为)(?:您|你|我)的?(?:[\u4e00-\u9fff]{0,8})(?:验证码|动态码"
    r"|校验码|驗證碼)"
)
_ANSWER = re.compile(
    r"(?:密保(?:问题)?的?答案|(?:安全|密保)问题[^\n。]{0,30}?答案)\s?(?:是|为"
    r"|[:：])\s{0,2}[“「\"]?(?P<value>[\u4e00-\u9fffA-Za-z0-9]{2,16})"
)
_LOOK_BACK = 12


def spoken_in_chinese(text: str) -> Iterator[Span]:
    """Passwords, codes and answers that a Chinese sentence names."""
    for match in _PASSWORD.finditer(text):
        yield from _password(text, match)
    for match in _CODE.finditer(text):
        yield from _codes(text, match.end())
    for match in _CODE_AFTER.finditer(text):
        yield "code", *match.span(1)
    for match in _ANSWER.finditer(text):
        value = match["value"]
        if _HAN_STOP.match(text, match.end()) and (value.isascii() or reads_as_han_value(value)):
            yield "security_answer", *match.span("value")


def _codes(text: str, at: int) -> Iterator[Span]:
    while match := _CODE_VALUE.match(text, at):
        yield "code", *match.span()
        more = _MORE.match(text, match.end())
        if not more:
            return
        at = more.end()


def _password(text: str, match: re.Match[str]) -> Iterator[Span]:
    at, says = match.end(), bool(match["says"])
    for pattern in (_DIGITS, _NUMERALS):
        if value := pattern.match(text, at):
            yield "password", *value.span()
            return
    if quoted := _QUOTED_HAN.match(text, at):
        if reads_as_han_value(quoted[1]):
            yield "password", *quoted.span(1)
        return
    if _ASCII.match(text, at):
        start, end = value_end(text, at, "said" if says else "beside", single=not says)
        if end:
            yield "password", start, end
    elif says and (phrase := _HAN.match(text, at)):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        end = phrase.end() - (text[phrase.end() - 1] in "哦啊呀哈吧")
        if (
            _HAN_STOP.match(text, phrase.end())
            and not _FIGURE.search(before)
            and reads_as_han_value(text[at:end])
        ):
            yield "password", at, end

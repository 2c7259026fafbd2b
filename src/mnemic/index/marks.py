"""Terms that tell a time or a number: what a text needs to answer "when" or "how many"."""

from __future__ import annotations

from functools import cache

from mnemic.index.segment import index_text
from mnemic.rules.bm25 import TermSet, term_set

_TIMES = """
    yesterday today tomorrow tonight ago last next week weekend month year day hour minute morning
    afternoon evening night recently soon since until early late monday tuesday wednesday thursday
    friday saturday sunday january february march april june july august september october november
    december spring summer autumn winter christmas birthday anniversary
    昨天 今天 明天 前天 后天 上周 下周 这周 上个 下个 去年 今年 明年 前年 周末 早上 上午 中午 下午
    晚上 刚才 最近 月 年 号 点 周 日 天
"""
_NUMBERS = """
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
    hundred thousand million dozen half couple several once twice percent
    两 二 三 四 五 六 七 八 九 十 百 千 万 几 半
"""


def _terms(words: str) -> list[str]:
    """The index terms of words; of a Chinese word only the whole, not its characters."""
    return [index_text(word).split()[-1] for word in words.split()]


@cache
def times() -> TermSet:
    """Terms that tell a time."""
    return term_set([*_terms(_TIMES), *map(str, range(1950, 2061))])


@cache
def numbers() -> TermSet:
    """Terms that tell a number."""
    return term_set([*_terms(_NUMBERS), *map(str, range(1000))])

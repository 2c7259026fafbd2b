"""Tasks in what people write: work that was asked for or announced, and its end."""

from __future__ import annotations

from typing import Literal

from mnemic.language.actions import sentences
from mnemic.language.code import compiled
from mnemic.language.outcome import verdict
from mnemic.language.story import is_order

# Said outright: a heading, a box to tick, a reminder.
_NAMED = (
    r"(?i)^\W*(?:(?:new |next |another )?(?:task|to-?do)s?\b|(?:new|next|another) topic\b"
    r"|(?:remind me|don'?t let me forget) to\b)|\[ \]\s*\w"
    r"|^\W*(?:待办|任务[:：]|(?:新|下一个|另一个)(?:任务|话题)|换个?(?:任务|话题)|提醒我)"
)
# Work that the speaker has in hand or says is needed.
_WORK = (
    r"(?:fix|write|build|implement|debug|refactor|migrate|rewrite|deploy|release|ship|finish|design"
    r"|prepare|set up|upgrade|test|review|draft|clean up|port)"
)
_IN_HAND = (
    r"(?i)\bwe (?:still )?need (?:an?|the|to be able)\b"
    rf"|\b(?:i|we) (?:still )?(?:need|have) to {_WORK}\b"
    rf"|\b(?:trying|going|want|would like|'d like) to {_WORK}\b|\bworking on\b"
    r"|\b(?:am|are|'m|'re) (?:now |currently )?(?:building|writing|fixing|implementing|debugging"
    r"|refactoring|migrating|preparing)\b"
    r"|(?:需要|得先|必须先?|打算|准备|计划|正在|想|要)(?:先|把)?(?:做|写|修|改|搭|开发|实现|部署|调试|重构"
    r"|迁移|发布|上线|升级|整理|设计|测试|处理|完成)|在(?:写|修|改|开发|实现|调试|重构|迁移)"
)
_WORK_ORDERS = (
    r"(?i)^(?:plan|book|schedule|organi[sz]e|prepare|renew|buy|release|publish|ship|upgrade|migrate"
    r"|set up|arrange|look into|find out|investigate)\b(?! (?:is|was|are|were)\b)"
    r"|^(?:规划|安排|预订|订|准备|发布|上线|升级|迁移|联系|购买|预约|搭建|开发|研究一下|排查)"
)
_ASKED = r"(?:请(?!问|客)你?|麻烦你?|帮忙|帮我|帮|给我|替我)(?:再|先)?(?!想想|回忆|查)\w"
_POLITE = (
    r"(?i)^\W*(?:(?:ok|okay|now|also|then|and|hi|hello|hey|现在|好的?|那|再|先)[\s,，!！]*)*"
    r"(?P<asks>(?:please|pls|kindly|(?:can|could|would|will) you|help me(?: to)?|let's"
    r"|i (?:need|want) you to|请(?!问)|麻烦|能不能|能否|可以|能|帮忙|帮我|给我|替我"
    r"|你|您)[\s,，]*)*"
)
# Answered in the reply itself: there is nothing to keep in hand.
_TALK = (
    r"(?i)^(?:explain|describe|define|tell|say|remember|recall|guess|imagine|pretend|act|sing|give"
    r"|recommend|suggest|count|show|list|print|use)\b|^(?:解释|讲解|介绍|推荐|告诉|讲|说|唱|列|将来|记住)"
)
_QUESTION = (
    r"(?i)[?？]\s*$|^\W*(?:who|whose|what|when|where|why|which|how|is|are|was|were|do|does|did)\b"
    r"|什么|为何|怎么|怎样|如何|多少|几[个次点天号]|哪|谁|(?:吗|呢)\W*$|是否|是不是|有没有"
)
_STATES = (
    r"(?i)^\w+ (?:is|was|are|were|has|sounds|looks|seems)\b|^(?!把|将).{1,8}(?:挂了|是\D|很|真)"
    # What is to be done whenever it comes to that is a rule.
    r"|^(?:以后|今后|每次|凡是)|^.{1,10}(?:的时候|时)(?:记得|要|都|请|别|不要|先|必须)"
    r"|\b(?:whenever|every time|from now on)\b"
)
_CLAUSES = r"(?<=[，,；;])\s*"

_THANKS = r"(?i)\b(?:thanks?(?: you)?|thx|ty)\b|谢谢|多谢|感谢|谢啦|谢了|辛苦了"
_CANCELLED = (
    r"(?i)\b(?:never ?mind|forget (?:it|about it|that)|cancel (?:it|that|this|the)"
    r"|(?:not|no longer) needed|(?:no longer|don'?t) need (?:it|that|this)|don'?t bother"
    r"|(?:drop|scrap) (?:it|that|this))\b"
    r"|算了|不用了|(?:不用|不|别)(?:再)?(?:做|弄|改|写|修|搞|管)了|取消(?:吧|了|这|掉)|放弃(?:吧|了)"
)


def task_in(message: str) -> str:
    """The first sentence that asks for work or names an open item, on one line; empty for talk:
    greetings, questions, stories, opinions, and facts.
    """
    return next(filter(states_task, sentences(message)), "")


def states_task(sentence: str) -> bool:
    """Whether a sentence states work to be done."""
    if compiled(_NAMED).search(sentence):
        return True
    if any(map(_is_work_order, compiled(_CLAUSES).split(sentence))):
        return True
    return bool(compiled(_IN_HAND).search(sentence)) and not compiled(_QUESTION).search(sentence)


def _is_work_order(clause: str) -> bool:
    polite = compiled(_POLITE).match(clause)
    order = clause[polite.end() :] if polite else clause
    asks = bool(polite and polite["asks"])
    if not asks and compiled(_QUESTION).search(clause):
        return False
    if compiled(_TALK).search(order) or compiled(_STATES).search(order):
        return False
    if compiled(_ASKED).match(clause[polite.start("asks") :] if asks and polite else order):
        return True
    return is_order(order) or bool(compiled(_WORK_ORDERS).search(order))


def end_of_task(message: str) -> Literal["done", "cancelled"] | None:
    """Whether a message says that the task at hand is done or not wanted any more; thanks alone
    say neither.
    """
    if compiled(_CANCELLED).search(message):
        return "cancelled"
    plain = compiled(_THANKS).sub("", message)
    return "done" if verdict(plain) == "success" else None

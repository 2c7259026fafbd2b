"""Statements: messages that state a fact, and are no question, order, wish or acknowledgement."""

from __future__ import annotations

from mnemic.language.code import compiled
from mnemic.language.outcome import verdict
from mnemic.language.story import is_order, is_request

_TELLS = (
    r"(?i)^\W*(?:i|we|my|our|he|his|she|her|they|their|it|this|that|there|the)\b"
    r"|\b(?:is|are|was|were|has|had|runs?|uses?|lives?|works?|likes?|got|became|moved|changed)\b"
    r"|^\W*(?:我|咱|他|她|它|这|那)|是|叫|有|在|住|了\W*$|了[，,。]"
)
_ASKS = (
    r"(?i)[?？]|^\W*(?:who|whose|what|when|where|why|which|how|is|are|am|was|were|do|does|did|can"
    r"|could|will|would|shall|should|may|has|have you|any (?:idea|chance))\b"
    r"|谁|什么|哪|几[个次点天]|多少|怎么|怎样|如何|为何|吗|呢\W*$|是否|能不能|可不可以|是不是|有没有|要不要"
)
_WISHES = (
    r"(?i)\b(?:wants?|needs?|would like|'d like|going to|plan(?:ning)? to|try(?:ing)? to|have to"
    r"|must|should|let's|let us|help|can't|cannot|stuck|wonder(?:ing)?|looking for|working on"
    r"|(?:am|are|'m|'re) (?:building|writing|fixing))\b"
    r"|想|要|需|打算|准备|计划|帮|请|麻烦|得先|正在|在做|在写|在开发|在修|报错|失败|不了"
)


def is_statement(message: str) -> bool:
    """Whether somebody tells how things are, and wants nothing done."""
    return is_request(message) and verdict(message) is None and only_tells(message)


def only_tells(message: str) -> bool:
    """The same of a message that is neither a nod nor a word on the work so far."""
    return (
        not is_order(message)
        and bool(compiled(_TELLS).search(message))
        and not compiled(_ASKS).search(message)
        and not compiled(_WISHES).search(message)
    )

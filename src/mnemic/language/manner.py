"""Wishes about how the agent speaks: its tone, its length, its role."""

from __future__ import annotations

from mnemic.language.code import compiled

_MANNER = (
    r"(?i)\b(?:tone|formal\w*|informal\w*|casual\w*|polite\w*|friendl\w*|funny|humou?r\w*|playful"
    r"|serious\w*|cheerful\w*|concise\w*|brief\w*|terse|emojis?|small talk)\b"
    r"|\b(?:talk|speak|chat|write|reply|answer)\b[^.!?]{0,20}\blike an?\b|\bcall me\b"
    r"|语气|口吻|口气|称呼我|卖萌|客套|废话|表情|emoji|(?:说话|讲话|回答|回复|说|讲)[^，。！？]{0,6}"
    r"(?:活泼|严肃|正式|幽默|温柔|简洁|简短|随意|可爱|礼貌|热情|冷静|客气|直接|啰嗦|一点|些)"
    r"|像[^，。！？]{1,10}(?:一样|那样)[^，。！？]{0,6}(?:说|讲|聊|回)"
)


def is_manner(text: str) -> bool:
    """Whether a wish is about how the agent speaks rather than what it does."""
    return compiled(_MANNER).search(text) is not None

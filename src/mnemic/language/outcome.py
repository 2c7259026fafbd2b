"""Outcome of a conversation, by its last messages and tool results.

The word of the user counts first, then what the tools answered last, then how the agent closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from re import Pattern

from mnemic.language.code import compiled
from mnemic.language.fence import strip_fenced
from mnemic.types import ActionNode, Outcome, Turn

_LOOK = 600  # characters at the end of a message

_BAD = (
    r"\b(?:still|again) (?:broken|failing|fails|not|doesn'?t|does not|the same|wrong|crash\w*)"
    r"|\b(?:doesn'?t|does not|didn'?t|did not|won'?t|isn'?t|is not|not) (?:work\w*|help\w*|fixed"
    r"|solved|resolved|right|correct|compile|start|run(?:ning)?)\b|\bno luck\b|\bgave? up\b"
    r"|\bgiving up\b|\bsame (?:error|problem|issue)\b|\b(?:it|that) (?:failed|broke|crashed)\b"
    r"|\bforget it\b|\bwrong again\b|\buseless\b"
    r"|还是(?:不行|不对|不能|报错|失败|没有?(?:好|用|解决)|有问题|一样|老样子)"
    r"|(?:仍然|依然|依旧|又)(?:不行|不对|报错|失败|崩|出错|有问题)"
    r"|没(?:有)?(?:搞定|解决|修好|成功|弄好|完成|起作用|效果)|不(?:起作用|管用|好使|工作)"
    r"|不行啊?(?=[，。！!,.\s]|$)|搞不定|解决不了|放弃了?|白弄了?|又坏了|挂了"
)
_GOOD = (
    r"\b(?:it|that|this|everything|all|now) (?:\w+ )?(?:works?|worked|fixed|passes|passed|runs)\b"
    r"|\bworks (?:now|great|fine|perfectly|well|like a charm)\b|\b(?:fixed|solved|resolved|nailed)"
    r" it\b|\b(?:problem|issue|bug) (?:is )?(?:solved|fixed|gone|resolved)\b|\ball (?:good|set|done"
    r"|green)\b|\b(?:perfect|awesome|excellent|great)\b|\bthat'?s (?:it|what i (?:needed|wanted))\b"
    r"|\btests? (?:all )?(?:now )?pass(?:es|ed)?\b"
    r"|\bthanks?\b|\bthank you\b|\bthx\b|\blgtm\b|\bwell done\b"
    r"|搞定|解决了|修好了|弄好了|成功了?|可以了|好了|没问题了|跑通了?|通过了|完美|太好了|太棒了"
    r"|谢谢|多谢|感谢|谢啦|谢了|辛苦了|正是我(?:想)?要的|完成了"
)
_LATER = (
    r"\b(?:continue|finish|pick (?:this|it) up|carry on|come back|resume|do the rest)\b"
    r"[^.!?\n]{0,30}\b(?:tomorrow|later|next (?:time|week)|on monday|tonight|another time)\b"
    r"|\b(?:to be continued|wip|that'?s (?:it|all|enough) for (?:now|today)|call it a day"
    r"|(?:let'?s )?stop here)\b"
    r"|(?:明天|下次|改天|回头|晚点|晚上|下周|稍后)[^。！？\n]{0,8}(?:继续|再|接着)"
    r"|先(?:到|做到|弄到)(?:这|此)|今天(?:就)?到(?:这|此)|未完待续|暂时(?:先)?(?:这样|放)"
)
_PARTLY = (
    r"\b(?:partly|partially|half|mostly|almost|most of (?:it|them))\b[^.!?\n]{0,20}"
    r"\b(?:work\w*|done|fixed|there|solved)\b|\b(?:works?|done|fixed)\b[^.!?\n]{0,30}\bexcept\b"
    r"|(?:部分|一半|大部分|基本)(?:上)?(?:搞定|解决|好了|完成|可以|成功)|就差|还差"
)
# A part that was left undone ...
_UNDONE = (
    r"\b(?:not|n'?t)(?: \w+){0,3} yet\b|\bhave yet to\b|\bstill (?:to do|todo|missing|pending|open"
    r"|needs?|outstanding|left)\b|\bleft to do\b|\b(?:other|rest|remaining|last|remainder|one"
    r"|two|three|some)\b[^.!?\n]{0,40}\b(?:fail\w*|missing|skipped|pending|outstanding|(?:was|were"
    r"|is|are|did|could|do|does)(?: not|n'?t))\b"
    r"|(?:还|暂时|尚)(?:没|未)(?!问题|关系)|(?:其余|其他|剩下?|后(?:面|[一两二三四五六七八九十\d])|另外?|最后)"
    r"[^。！？\n]{0,10}(?:没|未|失败|不行|卡住)(?!有?问题)|没(?:能|来得及)?[^\s，。！？问关有]{1,2}(?:上|完|成|到位)"
)
# ... beside one that was done.
_DONE = r"\b(?:done|works?|ready|\w{2,}ed)\b|了|好|完成|完毕"
_BUT = r"\b(?:but|except|however|though|although)\b|但是?|不过|可是|然而|除了"
_ADMITS = (
    r"\b(?:i (?:could ?n'?t|could not|can'?t|cannot|was(?:n'?t| not) able|am unable|failed)"
    r"|unfortunately|did not succeed|gave up)\b"
    r"|(?:无法|没能|未能|不能)(?:完成|解决|修复|找到|执行|实现)|(?:执行|操作|任务)失败|很遗憾|抱歉"
)
_WANTS_MORE = (
    r"\b(?:also|one more|another|can you|could you|would you|please|next|then|let'?s)\b"
    r"|再(?=[帮把给来加改写看做])|另外|还要|还有|还想|顺便|接下来|下一步|然后|请(?!客)"
)
_ASKS = r"[?？]\s*$|(?:吗|呢)[。.]?\s*$"
# The agent cannot go on before the user has given something ...
_NEEDS_INPUT = (
    r"\b(?:please|kindly|(?:can|could|would) you|i(?:'ll| will)?(?: still)? need you to)(?: \w+)?"
    r" (?:provide|send|share|give|tell me|upload|paste|attach|specify|clarify|choose|pick|describe"
    r"|fill in)\b|\bi(?:'ll| will)?(?: still)? need (?:your|more (?:detail|information|context))"
    r"|\b(?:let me know|tell me) (?:which|what|when|where|who|how|whether)\b|\bwaiting for your\b"
    r"|(?:请|麻烦|需要|还需|等待?)(?:你|您)?[^。！？\n]{0,8}?"
    r"(?:提供|告诉我|告知|发给?我|上传|粘贴|补充|说明|选择|选一|描述|填写)"
)
# ... and is not only polite: "let me know if you need more", "如有问题请随时告诉我".
_POLITE = (
    r"\bif\b|\bany ?time\b|\bfeel free\b|\bany (?:other |further |more )?(?:questions?|changes?)\b"
    r"|如果|如有|如需|若有|若需|有(?:任何|什么|其他)?(?:问题|疑问|需要|需求)|随时|欢迎"
)
_SENTENCE = r"[^\n。！？!?；;.]+"


def outcome_of(
    turns: Sequence[Turn], actions: Sequence[ActionNode], *, ended: bool = True
) -> Outcome:
    """The outcome of these turns; ``ended`` when no more of them will come."""
    user_turns = [(n, turn) for n, turn in enumerate(turns) if turn.role == "user"]
    if user_turns:
        place, last = user_turns[-1]
        judged = verdict(last.text)
        if judged is not None:
            return _after(judged, turns[place + 1 :], actions)
    if turns and turns[-1].role == "user":
        return "ongoing"
    return _by_work(turns, actions, ended=ended)


def verdict(message: str) -> Outcome | None:
    """What a message of the user says of the work so far, if it speaks of it."""
    text = strip_fenced(message)[-_LOOK:].strip()
    if _pattern(_LATER).search(text):
        return "ongoing"
    if _pattern(_PARTLY).search(text):
        return "partial"
    if _is_half_done(text) and _pattern(_GOOD).search(text):
        return "partial"
    bad = max((match.start() for match in _pattern(_BAD).finditer(text)), default=-1)
    # What a failure says of success ("not fixed") is no success: only what stands outside counts.
    plain = _pattern(_BAD).sub(lambda match: " " * len(match.group()), text)
    good = max((match.start() for match in _pattern(_GOOD).finditer(plain)), default=-1)
    if bad < 0 and good < 0:
        return None
    if bad < 0:
        return _unless_asking(text, good)
    if good > bad:
        return _unless_asking(text, good)
    return "partial" if good >= 0 and _pattern(_BUT).search(text[good:bad]) else "failed"


def _unless_asking(text: str, good: int) -> Outcome | None:
    """Thanks with a request or a question after them are no end ("谢谢，再帮我…")."""
    rest = text[good:]
    asks = _pattern(_ASKS).search(rest) or _pattern(_WANTS_MORE).search(rest)
    return None if asks else "success"


def _after(judged: Outcome, later: Sequence[Turn], actions: Sequence[ActionNode]) -> Outcome:
    """A complaint that was worked on since, without an error, and not judged again."""
    if judged != "failed" or not later:
        return judged
    since = [action for action in actions if action.at >= later[0].at]
    return "partial" if since and since[-1].success else "failed"


def _by_work(turns: Sequence[Turn], actions: Sequence[ActionNode], *, ended: bool) -> Outcome:
    closing = next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    closing = strip_fenced(closing)[-_LOOK:].strip()
    if actions and not actions[-1].success:
        return "partial" if any(action.success for action in actions) else "failed"
    if _pattern(_ADMITS).search(closing):
        return "partial" if any(action.success for action in actions) else "failed"
    if _is_half_done(closing):
        return "partial"
    if not ended or not closing or _pattern(_ASKS).search(closing):
        return "ongoing"
    if any(_asks_for_input(sentence) for sentence in _pattern(_SENTENCE).findall(closing)):
        return "ongoing"
    return "success"


def _is_half_done(text: str) -> bool:
    undone = _pattern(_UNDONE).search(text)
    return (
        undone is not None and _pattern(_DONE).search(_pattern(_UNDONE).sub(" ", text)) is not None
    )


def _asks_for_input(sentence: str) -> bool:
    wanted = _pattern(_NEEDS_INPUT).search(sentence)
    return wanted is not None and _pattern(_POLITE).search(sentence) is None


def _pattern(text: str) -> Pattern[str]:
    return compiled(f"(?i){text}")

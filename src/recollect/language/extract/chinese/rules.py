"""Rules for the assistant and requests to remember, sentence by sentence, in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.found import USER, Found
from recollect.language.extract.values import clean

_POLITE = (
    r"(?:(?:please|请|麻烦|另外|还有|对了|嗯|好的?|那|哦|注意|重要|规则|提醒|记住"
    r"|顺便说一?句?|顺便|再说一遍|强调一下|但是?|不过|然后|所以|你|您|拜托|要求)"
    r"[，,：: ！!]*)*"
)
_FROM_NOW = (
    r"(?:以后|今后|往后|从现在(?:开始|起)|从今(?:天|往后|以后)?(?:开始|起)?|从今天"
    r"(?:开始|起)|从此|之后|接下来|下次开始|今天起|未来)"
)
_LASTING = re.compile(
    rf"{_POLITE}(?:{_FROM_NOW}[，, ]?(?P<a>(?!再(?:说|看|聊|议|讲|想)|可能|也许"
    r"|有机会|有空|的|会|我?(?:会|想|要去|打算|可能|准备|也|自己|可以)|说不定|还是会"
    rf"|怎么|谁|见|联系).{{2,150}})"
    r"|(?P<b>(?:所有|任何|每次|每个|每一次|凡是|一旦|但凡|不管|无论|只要).{1,60}?"
    r"(?:都|就|一律|必须|务必|得|要|不要|不能|不许|别|至少|先).{1,100})"
    r"|(?P<c>(?:永远|始终|总是|一律|务必|必须|千万|绝对|坚决|禁止|严禁|切记|切勿"
    r"|请勿|不准|不许|一定要|一定不要|坚持|别再|不要再)(?!没|是|有|不会|不可能"
    r"|忘不了|记得我).{2,100})"
    r"|(?P<d>(?:默认|统一)(?:都)?(?:用|使用|采用|按|以|输出|回复|回答).{1,60})"
    r"|(?P<e>.{2,60}?(?:一律|务必|必须|永远|始终|禁止|一定|千万|绝对|坚决)(?:都)?"
    r"(?:要|用|使用|不要|不能|不得|加|写|按|保持|遵循|遵守|带|先|经过|通过|放|走"
    r"|包含|以|别|跑|说|问|给).{1,80})"
    r"|(?P<f>我(?:希望|要求|要|想让|需要)你(?:以后|今后|每次|始终|一直|总是|永远|都"
    r"|必须).{2,80}))[。！!]*$",
    re.I,
)
_FOR_NOW = re.compile(
    rf"{_POLITE}(?:(?:这次|本次|这个任务|这一次|这轮|这个项目|本项目|这个需求"
    r"|这个会话|这次任务|今天|目前|现在|暂时|眼下|本次任务|这个迭代|这周|这个分支"
    r"|上线前|发布前)(?:里|中|内|的时候)?[，, ]?(?P<a>(?:先|都|就|请|你)*(?:不要|别"
    rf"|只|不能|禁止|不许|务必|必须|一律|统一用|不用管).{{2,100}})"
    r"|(?P<d>(?:不要|别|勿|不能|不可以|不得)(?!担心|紧|客气|急|着急|忘|怕|难过|生气"
    r"|想太多|误会|介意|了|的|吧|提了|说了|闹|逗|开玩笑|理我|理他|管我|管他|这么"
    r"|那么|太|再|告诉我|问我|骗我|笑|人|处|名|墅|致|离开|放弃|灰心|气馁|钱|停|动|走"
    r"|吵|哭|慌|谢).{3,100}))[。！!]*$",
    re.I,
)
_THIS_ONE = re.compile(
    r"这(?:个|段|句|篇|条|封|份|张|里|道|首)(?!项目|任务|需求|会话|迭代|分支)|上面"
    r"|下面|以下|如下|刚才|它|那(?:个|段|句|篇)"
)
_REMEMBER = re.compile(
    r"(?:请|麻烦|那|好的?|对了|另外|还有|嗯|你|您|你要|帮忙|顺便|也|先|一定要?|务必|拜托|[，, ])*"
    r"(?:请?(?:帮我|给我|替我)(?:先)?(?:记一下|记住|记下来?|记录一下|记录|备忘"
    r"|记个笔记|存一下|记着|记一笔)|给我记住|替我记住|记住了?|记一下|记下来?|牢记"
    r"|记着|备忘|记录一下|别忘了|不要忘了|不要忘记|别忘记|要记得|记好了?|存一下"
    r"|备注一下?|mark一下|remember一下|note一下|remember 一下|note 一下|记个事"
    r"|存到记忆里?|加到记忆里?)"
    r"(?:这一?点|这件事|这个|一件事|哈|哦|啊|呀|一点)?[，,：: ！!。]*(?P<v>.{3,200})$",
    re.I,
)
_REMEMBER_AFTER = re.compile(
    r"(?P<v>.{4,150}?)[，,。；; ！!]+(?:这一?点|这个|这件事|这条)?(?:请|麻烦|你|您"
    r"|要|一定要?|务必|帮我|给我)*(?:记住|记一下|记下来?|记录一下|记着|别忘了"
    r"|不要忘了|记好)(?:了|哦|啊|哈|一下)?[。！!]*$"
)
_REMEMBER_TO = re.compile(
    r"(?:请|你|您|以后|每次|，|,)*(?:记得|别忘了|不要忘记|不要忘了)(?:要|一定要)?"
    r"(?P<v>(?!我|吗|你|当时|那|上次|以前|小时候|清|住|这).{3,80})$"
)
_NO_REMEMBER = re.compile(r"(?:了吗|吗|没|什么|怎么|的|不住|住了)")
_OVER = re.compile(
    r"(?:请|对了|那个?|好的?|把|[，, ])*(?:(?:取消|撤销|作废|废除|去掉|忘掉|忘记"
    r"|解除|不用再?遵守|不用管)(?:之前|以前|上次|刚才)?(?:的|说的|那条|那个|关于)*"
    r"(?P<a>.{0,30}?(?:规则|规定|要求|限制|约定|截止日期|偏好|设定))(?:吧|了)?"
    r"|(?:你)?(?:(?:以后|现在|今后)(?:就|也|都)?(?:不用|不必|不需要)再?|(?:不用|不必"
    r"|不需要)再)(?P<b>.{2,40}?)了?"
    r"|(?:之前|以前)?(?:的)?(?P<c>(?:说的)?.{2,30}?(?:规则|规定|规矩|要求|限制|约定"
    r"|那条))(?:已经|可以|就|给)?(?:取消|作废|不再适用|不用遵守|失效|撤销|去掉|删了"
    r"|删掉|不算数|不用管|不用|没了|不要了)了?(?:吧)?)[。！!]*$"
)
_DEADLINE_OFF = re.compile(
    r"(?P<s>.{0,14}?)(?:那个|的)?(?:deadline|ddl|截止日期|截止时间|死线|期限)"
    r"(?:已经)?(?:没了|取消了?|作废了?|不算了|不用管了)$",
    re.I,
)
_STATED = re.compile(
    r"(?P<s>[\u4e00-\u9fffA-Za-z0-9 ]{1,16}?)(?P<verb>的生日(?:是|在)|生日(?:是|在)"
    r"|对(?=.{1,10}过敏)|住在|在(?=.{2,12}(?:工作|上班)$)|喜欢|不喜欢|讨厌|叫"
    r"|的?电话(?:号码)?是|的?邮箱是|是|在|用)\s?(?P<v>.{1,80})"
)
_VERBS = {
    "住在": "lives_in",
    "喜欢": "likes",
    "不喜欢": "dislikes",
    "讨厌": "dislikes",
    "叫": "name",
    "对": "allergy",
    "用": "uses",
}


def remembered(sentence: str) -> str:
    """What somebody asks to be remembered, empty if he asks nothing of the kind."""
    match = _REMEMBER.match(sentence) or _REMEMBER_AFTER.match(sentence)
    if not match or _NO_REMEMBER.match(match["v"]):
        return ""
    return match["v"].strip()


def rule(sentence: str, *, part: bool = False) -> Found | None:
    """A rule of behaviour, or one for the task; of a ``part`` only what can be nothing else."""
    over = _OVER.match(sentence)
    if over:
        value = clean(next(filter(None, over.groups()), ""))
        if "截止日期" in value:
            return Found(
                "fact",
                value.split("的")[0].removesuffix("截止日期") or "project",
                "deadline",
                value,
                withdraws=True,
            )
        return Found("rule", USER, "rule", value, withdraws=True) if value else None
    off = _DEADLINE_OFF.match(sentence)
    if off:
        return Found(
            "fact", clean(off["s"]) or "project", "deadline", clean(off["s"]), withdraws=True
        )
    lasting = _LASTING.match(sentence)
    if lasting and not (part and lasting["e"]):
        return _unless_pointing(lasting, "permanent")
    asked = _REMEMBER_TO.match(sentence)
    if asked and re.search(r"以后|每次|总是|一律|始终|永远", sentence):
        return Found("rule", USER, "rule", clean(asked["v"]), duration="permanent", asked=True)
    for_now = _FOR_NOW.match(sentence)
    return _unless_pointing(for_now, "24h") if for_now else None


def _unless_pointing(match: re.Match[str], duration: str) -> Found | None:
    groups = match.groupdict()
    value = clean(next(filter(None, groups.values()), ""))
    strong = bool(groups.get("a")) and duration == "permanent"
    if len(value) < 2 or (not strong and _THIS_ONE.search(match.group())):
        return None
    if not strong and re.match(
        r"(?:我|他|她|我们|他们|你们)(?!希望|要求|要你|想让|需要你)", match.group()
    ):
        return None
    if not strong and re.search(r"如果|要是|假如", value):
        return None
    return Found("rule", USER, "rule", value, duration=duration)


def note(text: str) -> Found:
    """What was asked to be remembered and has no slot of its own."""
    match = _STATED.fullmatch(text.strip("。！!，, "))
    if not match:
        return Found("fact", USER, "other", clean(text))
    subject = (
        re.sub(r"^(?:我们的|我的|我们|我)(?=.)", "", match["s"].strip()).removesuffix("的") or USER
    )
    verb = match["verb"]
    value = clean(match["v"])
    if "生日" in verb:
        return Found("fact", subject, "birthday", value)
    if verb == "对":
        value = clean(value.removesuffix("过敏"))
    if verb == "在" and re.search(r"(?:工作|上班)$", value):
        return Found("fact", subject, "employer", re.sub(r"(?:工作|上班)$", "", value))
    predicate = (
        "phone" if "电话" in verb else "email" if "邮箱" in verb else _VERBS.get(verb, "other")
    )
    return Found("fact", "user" if subject in ("我", "我们") else subject, predicate, value)

"""Decisions, deadlines, appointments and today's state, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import ME
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import read_row, row
from recollect.language.extract.values import clean, place, statement

_DAY = (
    r"(?:(?:这个?|下个?|(?<!版)本)?(?:周|星期|礼拜)[一二三四五六日天末](?:早上|上午"
    r"|中午|下午|晚上)?|明天|后天|大后天|今天|今晚|明晚|(?:这|(?<!版)本|下)(?:个)?"
    r"(?:周末|月底|月初|季度末?|周|月)|月底|年底|年前|周末|月中|季度末"
    r"|(?:\d{4}\s?年)?\s?(?:本|下个?|这个?)?(?:\d{1,2}|"
    r"[一二三四五六七八九十]{1,3})\s?月\s?(?:(?:\d{1,2}|"
    r"[一二三四五六七八九十]{1,3})\s?[日号]|底|初|中旬|上旬|下旬)?|(?:这个月|本月"
    r"|下个?月)?\s?\d{1,2}\s?[号日]|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}|下班)"
    r"(?:(?:早上|上午|中午|下午|晚上|凌晨)?\s?(?:"
    r"[\d一二三四五六七八九十]{1,3}\s?点半?|\d{1,2}:\d\d)|(?:早上|上午|中午|下午"
    r"|晚上))?"
)
_EVENT = (
    r"(?:面试|会议?|例会|周会|晨会|站会|体检|考试|航班|飞机|高铁|手术|答辩|约会|聚会"
    r"|婚礼|演唱会|培训|复诊|看牙|牙医|拔牙|出差|演示|评审|路演|家长会|电话会|团建"
    r"|课|讲座|比赛|马拉松|搬家|报到|年会|分享会|访谈|休假)"
)
_DO = (
    r"(?:交付?|提交|上线|完成|发布|交付|搞定|做完|写完|发版|截止|到期|还款?|提测"
    r"|封版|答辩|上交|弄完|结束|缴费?|续费|过期|开工|交稿|投稿|评审)"
)


def decisions() -> tuple[Row, ...]:
    who = (
        r"(?:.{0,16}?[，, ])?(?:我们|咱们|团队|我|大家|公司|项目组|组里|会上"
        r"|跟.{1,4}商量)?(?:几个)?(?:已经|最终|最后|一致|今天|昨天|开会|讨论后|商量后"
        r"|终于|刚刚?|现在|经过讨论|都|正式|内部|这边|想了想|考虑再三|还是)*"
    )
    return (
        row(
            rf"{who}(?:决定|定了|敲定|拍板|确定|选定|商定|议定|说好|商量好|谈妥|定好|同意"
            rf"|达成一致|一致通过)(?:了)?(?:要|下来|好)?(?:[：:，, ]+)?(?P<v>(?!.{{0,2}}"
            rf"(?:不了|不下|权|好了|什么|吗|一下)).{{2,80}})$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            rf"{who}(?:选了|选择了|选用了?|采用了?|选的是?|定的是?)\s?(?P<v>[\w\u4e00-\u9fff]"
            rf"[\w.+# \u4e00-\u9fff-]{{1,40}})$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            r"(?:.{0,8}?)(?:方案|选型|技术选型|技术方案|结论|决定|最后|最终|那)(?:已经|我们"
            r"|还是)*(?:定了|定下来了|定为|敲定了|是|：|:|就)[，,：: ]*(?P<v>(?:就?用|采用"
            r"|选|按|走|上)?.{1,60})$",
            "decision",
            "decision",
            _decided_so,
            subject="project",
        ),
        row(
            r"(?:最后|那|我们|咱们)*就按(?P<v>.{2,30}?)(?:来|走|做|办|执行)(?:了|吧)?$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            r"(?:讨论|会议|评审|投票|商量|最终|最后)(?:的)?(?:结果|结论)(?:就)?是"
            r"(?P<v>.{2,60})$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            r"[\u4e00-\u9fff]{2,8}(?:定了|选的是?|选定了?|敲定了?|选了)(?P<v>"
            r"[\w\u4e00-\u9fff .+#-]{2,40})$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            r"(?:就这么定了|定下来了|说定了|就定了)[，,：: ]*(?P<v>.{2,80})$",
            "decision",
            "decision",
            _decided,
            subject="project",
        ),
        row(
            r"(?:那|我们|咱们|行|好)?就(?:用|选|按|走|定|采用|上)(?P<v>(?!是|这|那|不|过"
            r"|你).{1,40}?)(?:了|吧)$",
            "decision",
            "decision",
            _decided_so,
            subject="project",
        ),
    )


def deadlines() -> tuple[Row, ...]:
    what = r"(?:(?:我们?|咱们)(?:的)?)?(?P<s>[\w.+#\u4e00-\u9fff]{0,14}?)"
    must = r"(?:要|必须|得|需要|一定要|就要|就得|务必|我得|我要|我们要|我们得|之内)*"
    return (
        read_row(
            rf"{what}\s?(?:的)?(?:截止日期|截止时间|最后期限|deadline|ddl|死线|交付日期"
            r"|交付时间|上线时间|上线日期|发布日期|交稿日期|到期日|截止)\s?(?:"
            r"(?P<chg>改到了?|推迟到了?|延到了?|延期到了?|提前到了?|挪到了?|改成了?)|是|为"
            rf"|在|定在|：|:)\s?(?P<v>{_DAY})(?:之?前)?$",
            _due,
        ),
        read_row(
            rf"{what}\s?(?:最晚|最迟|截止|截至|截止到)(?:到|是|在)?\s?(?P<v>{_DAY})(?:之?前"
            r"|截止|为止)?$",
            _due,
        ),
        read_row(
            rf"{what}\s?{must}(?:在|于|最迟|最晚)*\s?(?P<v>{_DAY})\s?(?:之|以)?前\s?{must}"
            rf"(?:{_DO}|给|发给|寄给|发)(?P<o>[\w\u4e00-\u9fff]{{0,12}})$",
            _due,
        ),
        read_row(
            rf"{what}\s?{must}(?:在|于|定在|最迟|最晚)*\s?(?P<v>{_DAY})\s?{must}{_DO}(?P<o>"
            rf"[\w\u4e00-\u9fff]{{0,8}})$",
            _due,
        ),
        read_row(
            rf"{what}\s?{_DO}?(?:(?P<chg>推迟到了?|延期到了?|延到了?|提前到了?|改到了?"
            rf"|挪到了?))\s?(?P<v>{_DAY})(?:{_DO})?$",
            _due,
        ),
    )


def schedule() -> tuple[Row, ...]:
    when = (
        rf"(?P<v>(?:每个?)?{_DAY}|每天(?:早上|上午|中午|下午|晚上)?(?:"
        rf"[\d一二三四五六七八九十]{{1,3}}点半?)?)"
    )
    return (
        read_row(
            rf"(?:我们?|咱们)?{when}(?:我们?|咱们)?(?:都|还|要|得|会)*(?:有|去|要|开|参加|做"
            r"|约了|上|的)?(?:一?[个场次节]|了)?(?P<s>"
            rf"[\u4e00-\u9fff]{{0,6}}?{_EVENT}).{{0,6}}$",
            _plan,
        ),
        read_row(
            rf"(?:我们?|咱们)?(?:的)?(?P<s>[\u4e00-\u9fffA-Za-z]{{0,8}}{_EVENT})(?P<chg>改到"
            rf"|推迟到|挪到|提前到|改成)?(?:时间)?(?:是|在|定在|安排在|约在|约的是?)?{when}$",
            _plan,
        ),
        read_row(
            rf"(?:我们?|咱们)?(?:约了|订了|定了|预约了){when}的?(?P<s>"
            rf"[\u4e00-\u9fff]{{0,6}}{_EVENT})$",
            _plan,
        ),
        read_row(
            rf"(?:我们?)?{when}(?:要|得|会)?(?:飞|去|出发去|出差去|回)(?P<s>"
            rf"[\u4e00-\u9fff]{{2,6}})(?:出差|旅游|开会)?$",
            _plan,
        ),
    )


def today() -> tuple[Row, ...]:
    return (
        read_row(
            rf"(?:{ME}今天|今天{ME}|{ME}这会儿|{ME}这几天|这几天{ME}|{ME}这周|这周{ME}"
            rf"|{ME}现在人|{ME}今晚)(?:人)?(?:都|会)?(?:在|到|去)(?P<v>"
            rf"[\u4e00-\u9fff]{{2,8}}?)(?:出差|开会|旅游|出差呢|玩|办事)?$",
            _located,
        ),
        read_row(
            rf"(?:{ME}今天|今天{ME}|{ME}这几天|这两天{ME}|{ME}今晚|{ME}现在)(?:有点|很|特别"
            r"|都|要|在|好|真)*(?P<v>(?:头疼|头痛|感冒|发烧|请假|休假|不舒服|心情不好|加班"
            r"|在家办公|居家办公|值班|生病|累|困|忙|休息|调休|出差)了?)$",
            _state,
        ),
        read_row(
            rf"(?:{ME}今天|今天{ME}?|今晚{ME}?)(?P<v>(?:早上|上午|中午|下午|晚上)?(?:"
            rf"[\d一二三四五六七八九十]{{1,3}}点半?)?(?:要|有)(?:一个|个|一场|场)?"
            rf"[\u4e00-\u9fff]{{0,6}}(?:会|会议|面试|考试|航班|电话会|体检|答辩))$",
            _planned,
        ),
    )


def _decided(text: str) -> str:
    value = clean(text)
    if (
        re.search(
            r"^(?:权|了没|不了|不下|好|什么|怎么|要不要|一下|我$|你|的|是|时间)|没想好|再说"
            r"|看看$|吗$",
            value,
        )
        or len(value) < 2
    ):
        return ""
    return statement(value)


def _decided_so(text: str) -> str:
    value = clean(text)
    if (
        re.match(
            r"(?:这|那|你|什么|怎么|不|没|好|行|可以|因为|为了|说|知道|在|有|会|想|能|要看|看)",
            value,
        )
        or not value
    ):
        return ""
    named = re.match(
        r"(?:用|采用|选|按|走|上|[A-Za-z]|第[一二三四五]|方案|.{1,8}(?:方案|模式|架构|版|家|个)$)",
        value,
    )
    return value.removeprefix("就") if named else ""


def _due(match: re.Match[str]) -> Found | None:
    groups = match.groupdict()
    subject = re.sub(
        r"^(?:我们?|咱们|这个?|那个?|必须|得|要|在|于)+|(?:要|必须|得|需要|一定|务必|的"
        r"|在|最晚|最迟|我们?)+$",
        "",
        clean(groups.get("s") or ""),
    )
    if not subject:
        subject = re.sub(r"^(?:了|一下|这个?|那个?|我的)|(?:了|的)$", "", groups.get("o") or "")
    if len(subject) > 12 or re.search(r"时候|老是|总是|经常|每次|[他她]|说", subject):
        return None
    if subject.startswith(("他", "她", "你", "什么", "谁", "昨", "我是", "没", "不")):
        return None
    return Found(
        "fact",
        subject or "project",
        "deadline",
        match["v"].strip(),
        is_update=bool(groups.get("chg")),
    )


def _located(match: re.Match[str]) -> Found | None:
    where = place(match["v"])
    if not where or re.search(r"家|公司|做|写|看|改|忙|学|吃|跑|想|开会|办公|[了过]$", where):
        return None
    return Found("temp", USER, "location", where, duration="24h")


def _plan(match: re.Match[str]) -> Found | None:
    what = clean(match["s"])
    if not what or re.search(r"[他她你谁了]|不", match.group()) or "昨" in match["v"]:
        return None
    return Found(
        "event", what, "schedule", match["v"].strip(), is_update=bool(match.groupdict().get("chg"))
    )


def _state(match: re.Match[str]) -> Found:
    return Found("temp", USER, "status", clean(match["v"]), duration="24h")


def _planned(match: re.Match[str]) -> Found:
    return Found("temp", USER, "schedule", clean(match["v"]), duration="24h")

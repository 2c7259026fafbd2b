"""Who somebody is and where he lives, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import (
    CITIES_LIKE,
    ME,
    NOW,
    NUMBER,
    called,
    city,
)
from recollect.language.extract.found import Row
from recollect.language.extract.products import product
from recollect.language.extract.rows import row
from recollect.language.extract.values import (
    clean,
    han_name,
    person,
    place,
)

_DATE = (
    r"(?P<v>(?:农历|阴历|阳历)?(?:\d{2,4}\s?年\s?)?(?:\d{1,2}|"
    r"[一二三四五六七八九十]{1,3})\s?月\s?(?:初?(?:\d{1,2}|"
    r"[一二三四五六七八九十]{1,3})\s?[日号]?)?"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}|\d{2,4}\s?年)"
)
_NOT_HOMES = (
    "学校宿舍的",
    "这",
    "那",
    "哪",
    "一起",
    "同",
    "不",
    "过",
    "了",
    "得",
    "进",
    "着",
    "他",
    "她",
    "你",
    "朋友",
    "的",
)


def names() -> tuple[Row, ...]:
    return (
        row(
            rf"{ME}(?:的)?(?:名字|姓名|大名|全名|真名|本名)(?:是|叫做?|：|:)\s?(?P<v>"
            rf"[\u4e00-\u9fff·A-Za-z ]{{1,20}})$",
            "identity",
            "name",
            person,
        ),
        row(
            r"(?:姓名|名字)[：:]\s?(?P<v>[\u4e00-\u9fff·A-Za-z ]{1,20})$",
            "identity",
            "name",
            person,
        ),
        row(
            rf"{ME}(?:就|的?大?名)?叫(?:做)?\s?(?P<v>[\u4e00-\u9fff·]{{2,4}}|[A-Z]"
            rf"[A-Za-z ]{{1,20}}|[a-z]{{3,12}})$",
            "identity",
            "name",
            called,
        ),
        row(
            r"(?:你好|您好|大家好|嗨|哈喽|hi|hello)?[！!，, ]*我是(?P<v>[A-Z][a-z]{1,12})$",
            "identity",
            "name",
            person,
        ),
        row(rf"{ME}姓(?P<v>[\u4e00-\u9fff]{{1,2}})$", "identity", "surname", clean),
        row(
            r"(?:你好|您好|大家好|嗨|哈喽|hi|hello)?[！!，, ]*(?:我是)\s?(?P<v>"
            r"[\u4e00-\u9fff]{2,3})$",
            "identity",
            "name",
            _introduced,
        ),
        row(
            r"(?:以后)?(?:你|您|大家|请|就|朋友们?|同事们?|直接)*(?:可以|都|就|也可以|管)?"
            r"(?:叫我|喊我|称呼我为?|称我为?)(?:做|为)?\s?(?P<v>[\u4e00-\u9fff·]{1,5}|"
            r"[A-Za-z ]{2,20})(?:就行|就好|吧|即可|就可以|就行了|就好了)?$",
            "identity",
            "nickname",
            person,
        ),
    )


def ages() -> tuple[Row, ...]:
    return (
        row(
            rf"{ME}(?=.{{0,4}}(?:今年|\d)){NOW}(?P<v>[1-9]\d|[二三四五六七][十]"
            r"[一二三四五六七八九]?)(?:了)?$",
            "identity",
            "age",
            clean,
        ),
        row(
            rf"{ME}{NOW}(?:满|刚满)?(?P<v>{NUMBER})\s?(?:周)?岁(?:半|了)?$",
            "identity",
            "age",
            clean,
        ),
        row(rf"{ME}(?:的)?年龄是\s?(?P<v>{NUMBER})(?:岁)?$", "identity", "age", clean),
        row(
            rf"{ME}(?:的)?(?:生日|出生日期)(?:是|在|：|:)?\s?(?:每年)?(?:的)?{_DATE}$",
            "identity",
            "birthday",
            clean,
        ),
        row(rf"{ME}(?:是)?(?:出)?生(?:于|在)\s?{_DATE}$", "identity", "birthday", clean),
        row(rf"{ME}(?:是)?\s?{_DATE}\s?(?:出生的?|生的?|生人|的)$", "identity", "birthday", clean),
        row(rf"{ME}\s?{_DATE}\s?(?:过)?生日$", "identity", "birthday", clean),
    )


def places() -> tuple[Row, ...]:
    return (
        row(
            r"(?:我)?(?:租的房子在|房子在|租在|常住|目前base在?|人在|坐标|base在?|人现在在"
            r"|现居|定居在?|常驻|家住|目前在|现在住在?|租房在|暂住)(?P<v>"
            r"[\u4e00-\u9fffA-Za-z]{2,12})$",
            "identity",
            "lives_in",
            _home,
        ),
        row(
            rf"{ME}?.{{0,8}}(?:一直|现在|目前|就|都)+(?:在|住)(?P<v>[\u4e00-\u9fff]{{2,8}}?)"
            r"(?:住着|住|生活|定居|待着)$",
            "identity",
            "lives_in",
            _home,
        ),
        row(
            rf"{ME}?{NOW}在(?P<v>[\u4e00-\u9fff]{{2,8}}?)(?:已经|也)?(?:住|待|生活)了.{{1,6}}"
            r"[年月]了?$",
            "identity",
            "lives_in",
            _home,
        ),
        row(
            r"(?:我)?老家(?:是|在)?(?P<v>[\u4e00-\u9fff]{2,8}?)(?:的|人|那边)?$",
            "identity",
            "from",
            place,
        ),
        row(
            rf"{ME}{NOW}(?:是)?(?P<v>(?:东|西)[一二三四五六七八九十]+区|UTC ?[+-]\d+|GMT ?"
            rf"[+-]\d+|[\u4e00-\u9fff]{{2,4}}时间|[A-Z]{{3}}时区)$",
            "config",
            "timezone",
            clean,
        ),
        row(
            rf"{ME}{NOW}(?:住|居住|定居|生活|常住|人|base)(?:在|于|\s)\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z· ]{{2,20}})$",
            "identity",
            "lives_in",
            _home,
        ),
        row(rf"{ME}{NOW}住(?P<v>[\u4e00-\u9fff]{{2,10}})$", "identity", "lives_in", _home),
        row(
            rf"{ME}?{NOW}(?:搬|搬家|迁居|移居|搬去|搬来)(?:到|去|来|回|至)?(?:了)?\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z ]{{2,16}})$",
            "identity",
            "lives_in",
            _moved,
            update=True,
        ),
        row(
            rf"{ME}{NOW}(?:从.{{1,8}})?(?:搬|搬家)(?:到|去|来|回)了?\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z ]{{2,16}})$",
            "identity",
            "lives_in",
            _moved,
            update=True,
        ),
        row(
            rf"{ME}(?:的)?(?:家|住址|住处)(?:就)?(?:在|是)\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z0-9 ]{{2,24}})$",
            "identity",
            "lives_in",
            _home,
        ),
        row(rf"{ME}(?:的)?(?:收货)?地址是\s?(?P<v>.{{4,50}})$", "identity", "address"),
        row(
            rf"{ME}(?:的)?(?:老家|家乡|籍贯)(?:在|是)\s?(?P<v>[\u4e00-\u9fff]{{2,12}})$",
            "identity",
            "from",
            place,
        ),
        row(
            rf"{ME}(?:是)?(?:来自|出生在|出生于)(?P<v>[\u4e00-\u9fff]{{2,10}}?)(?:的)?$",
            "identity",
            "from",
            _from,
        ),
        row(
            rf"{ME}(?:是)?(?:从小)?在(?P<v>[\u4e00-\u9fff]{{2,10}}?)长大(?:的)?$",
            "identity",
            "from",
            _from,
        ),
        row(
            rf"{ME}{NOW}在(?P<v>[\u4e00-\u9fff]{{2,10}}?)(?:这边|那边)?$",
            "identity",
            "lives_in",
            city,
        ),
        row(
            rf"{ME}(?:是)(?:地道的|土生土长的)?(?P<v>[\u4e00-\u9fff]{{2,6}})人$",
            "identity",
            "from",
            _native,
        ),
        row(
            rf"{ME}(?:的)?时区是\s?(?P<v>[\w+:/ \u4e00-\u9fff-]{{2,20}})$",
            "identity",
            "timezone",
            clean,
        ),
    )


def _introduced(text: str) -> str:
    if (
        text[:1] in "阿小老大"
        and 2 <= len(text) <= 3
        and not re.match(r"小[学白]|老[师板]|大[学家人]", text)
    ):
        return text
    return "" if text.endswith(("人", "的", "生", "师", "员")) else han_name(text)


def _home(text: str) -> str:
    value = place(re.sub(r"^在", "", text.strip()))
    bad = (
        product(value)
        or value.startswith(_NOT_HOMES)
        or "的" in value
        or re.search(r"时候|几天|一段|期间|那会|酒店|宾馆|不下|不了|不惯", value)
    )
    return (
        ""
        if bad
        or re.match(
            r"家|公司|公寓|办公室|路上|外面|学校|线|忙|写|改|看|做|等|用|开|调|跑|学|找|想"
            r"|研究|考虑|加班",
            value,
        )
        else value
    )


def _moved(text: str) -> str:
    value = _home(text)
    return (
        "" if re.search(r"[代码文件目录数据库仓]|家里|楼下|新家|东西|砖|桌|分支", value) else value
    )


def _from(text: str) -> str:
    return (
        ""
        if len(text) > 8 or re.search(r"[的了做写看用学想干吗家]|工作|上班", text)
        else place(text)
    )


def _native(text: str) -> str:
    found = CITIES_LIKE.fullmatch(text.removeprefix("地道").removesuffix("本地"))
    return found.group() if found else ""

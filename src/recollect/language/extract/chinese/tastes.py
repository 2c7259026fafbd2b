"""Likes and dislikes, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import ME
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import choice, read_row, row
from recollect.language.extract.values import clean, thing

VERY = (
    r"(?:真的|真|很|非常|特别|超级?|最|比较|还是|更|更加|也|挺|一直|都|尤其|其实|还"
    r"|蛮|个人|平时|就|一向|向来|格外|十分|相当|极其|是)*"
)
_OF = {
    "颜色": "color",
    "水果": "fruit",
    "食物": "food",
    "菜": "food",
    "歌手": "singer",
    "电影": "movie",
    "书": "book",
    "编辑器": "editor",
    "语言": "language",
    "编程语言": "programming_language",
    "运动": "sport",
    "城市": "city",
    "季节": "season",
    "音乐": "music",
    "饮料": "drink",
    "作家": "author",
    "游戏": "game",
    "动物": "animal",
    "乐队": "band",
    "球队": "team",
    "演员": "actor",
    "导演": "director",
    "歌": "song",
    "茶": "tea",
    "咖啡": "coffee",
    "数字": "number",
    "框架": "framework",
    "花": "flower",
    "口味": "flavor",
    "菜系": "cuisine",
    "浏览器": "browser",
}


def tastes() -> tuple[Row, ...]:
    return (
        row(
            r"(?![他她你谁这那])[\u4e00-\u9fff]{1,6}?(?:我|我们)?只(?:喝|吃|看|听|用|穿|买"
            r"|坐|玩)(?P<v>[\u4e00-\u9fffA-Za-z]{1,10})$",
            "preference",
            "likes",
        ),
        row(
            rf"(?![他她你谁这那])(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}}?){ME}(?:都|最|特别|很|超"
            r"|一直|真的|挺|也)*(?:爱|喜欢)(?:吃|喝|听|看|玩|用|穿)?$",
            "preference",
            "likes",
        ),
        row(
            rf"{ME}?对(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}}?)(?:比较|很|特别|非常)?(?:零容忍"
            r"|敏感|反感)$",
            "preference",
            "dislikes",
        ),
        row(
            rf"{ME}{VERY}(?:更|比较|最)?(?:习惯(?!用)|愿意|乐意)(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z ]{{2,16}})$",
            "preference",
            "likes",
            _habitual,
        ),
        row(
            rf"[\u4e00-\u9fff]{{1,6}}里{ME}?最(?:爱|喜欢)(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z]{{1,12}})$",
            "preference",
            "likes",
        ),
        row(rf"{ME}?.{{0,6}}无(?P<v>[\u4e00-\u9fff])不欢$", "preference", "likes", clean),
        row(
            rf"{ME}(?:比较|很|特别|非常|有点|挺)*(?P<v>怕[冷热黑狗猫虫辣高]|恐高|晕车|晕船"
            r"|认床|失眠|起不来床)$",
            "identity",
            "trait",
            clean,
        ),
        read_row(
            rf"(?:比起|相比|跟|和|与)[\u4e00-\u9fffA-Za-z]{{1,10}}?(?:比|相比|来说)?"
            rf"[，,]?{ME}(?:还是|会|其实)*(?P<verb>更喜欢|更爱|更偏好|更愿意|更习惯|更倾向于?"
            rf"|宁愿|宁可)(?P<v>.{{1,30}})$",
            _liked,
        ),
        row(
            rf"(?P<v>[\u4e00-\u9fffA-Za-z]{{1,10}}){ME}(?:是)?(?:真的|实在|完全|一点都?"
            r"|根本)*(?:不喜欢|受不了|吃不了|喝不了|接受不了|吃不来|喝不来|不爱吃|不爱喝"
            r"|看不惯)$",
            "preference",
            "dislikes",
        ),
        row(
            rf"{ME}?(?:是)?(?:真的|实在|完全|一点都?|根本)*(?:吃不了|喝不了|接受不了|吃不来"
            rf"|喝不来|看不惯|不太能接受|不能接受)(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}})$",
            "preference",
            "dislikes",
        ),
        row(
            rf"{ME}对(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}})(?:一点都?)?(?:没兴趣|不感兴趣"
            r"|没什么兴趣|无感)$",
            "preference",
            "dislikes",
        ),
        row(
            rf"{ME}对(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}})(?:很|特别|非常|比较|挺)?(?:感兴趣"
            r"|有兴趣|上瘾)$",
            "preference",
            "likes",
        ),
        row(
            rf"{ME}(?:的)?最爱(?:就)?(?:是)?(?P<v>[\u4e00-\u9fffA-Za-z]{{1,12}})$",
            "preference",
            "likes",
        ),
        read_row(
            rf"{ME}{VERY}(?:喜欢|爱|喜爱|常用)(?:的|吃的|喝的|听的|看的|玩的|用的)(?P<of>"
            rf"[\u4e00-\u9fff]{{1,8}}?)(?:就)?(?:是|：|:)\s?(?P<v>.{{1,30}})$",
            _favourite,
        ),
        read_row(
            rf"{ME}{VERY}(?P<verb>偏好|偏爱|更喜欢|更爱|倾向于?|倾向用)(?:用|使用)?\s?"
            rf"(?P<v>.{{1,40}})$",
            _liked,
        ),
        read_row(
            rf"{ME}{VERY}(?P<not>不(?:太|怎么|是很|大|是特别)?喜欢|不爱|讨厌|受不了|反感|最烦"
            rf"|很烦|厌恶|恨|不待见|看不惯)\s?(?P<v>.{{1,40}})$",
            _liked,
        ),
        read_row(
            rf"{ME}{VERY}(?P<verb>喜欢|喜爱|热爱|钟爱|酷爱|痴迷|迷上了?|爱(?="
            rf"[吃喝玩看听用打跑读写做穿运爬游踢]))\s?(?P<v>.{{1,40}})$",
            _liked,
        ),
    )


def _habitual(text: str) -> str:
    return "" if re.match(r"(?:了|你|就好|这|那|不|帮|接受|的)", text) else thing(text)


def _favourite(match: re.Match[str]) -> Found | None:
    value = thing(match["v"])
    if not value:
        return None
    of = _OF.get(match["of"], match["of"])
    used = choice(match["v"], known=True)
    if used and used.predicate == of:
        return Found("preference", USER, of, used.value)
    return Found("preference", USER, f"favorite_{of}", value)


def _liked(match: re.Match[str]) -> Found | None:
    value = thing(match["v"])
    if not value or re.search(
        r"^(?:上|的|你|这|那|一个人|过|他|她|它|不起|不|就|跟你|和你)|的(?:是|人)|你$|这"
        r"[个种样]|那[个种样]|挂|崩|报错|宕机|加班|出故障",
        value,
    ):
        return None
    if "not" in match.re.groupindex:
        return Found("preference", USER, "dislikes", value)
    plain = match["verb"] in (
        "喜欢",
        "喜爱",
        "热爱",
        "钟爱",
        "酷爱",
        "痴迷",
        "迷上",
        "迷上了",
        "爱",
    )
    bare = re.sub(r"^(?:用|使用)\s?", "", value)
    used = choice(bare, known=True)
    if used and used.predicate not in ("version", "uses") and (not plain or bare != value):
        return Found("preference", USER, used.predicate, used.value)
    return Found("preference", USER, "likes", value)

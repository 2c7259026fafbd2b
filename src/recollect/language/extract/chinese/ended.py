"""What is true no longer, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import (
    ME,
    NOW,
    city,
    company,
    trade,
)
from recollect.language.extract.found import Row
from recollect.language.extract.rows import row
from recollect.language.extract.values import clean, place


def ended() -> tuple[Row, ...]:
    gone = r"(?:不再|已经不|早就不|现在不|早不|已不)"
    return (
        row(
            rf"{ME}?{gone}(?:住在?|居住在?)\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)了?$",
            "identity",
            "lives_in",
            place,
            withdraws=True,
        ),
        row(
            rf"{ME}不住(?:在)?\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)了$",
            "identity",
            "lives_in",
            place,
            withdraws=True,
        ),
        row(
            rf"{ME}?{gone}在\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)\s?(?:工作|上班|任职"
            r"|干)了?$",
            "identity",
            "employer",
            company,
            withdraws=True,
        ),
        row(
            rf"{ME}{NOW}不在\s?(?P<v>[\u4e00-\u9fff]{{2,8}}?)了$",
            "identity",
            "lives_in",
            city,
            withdraws=True,
        ),
        row(
            rf"{ME}?{NOW}不(?:再)?(?:搞|做|干)(?P<v>[\u4e00-\u9fffA-Za-z]{{2,8}})了$",
            "identity",
            "job",
            trade,
            withdraws=True,
        ),
        row(
            r"(?:我)?(?P<v>烟|酒|糖|奶茶|咖啡)(?:我)?(?:已经|早就?)?戒(?:掉)?了$",
            "fact",
            "habit",
            clean,
            withdraws=True,
        ),
        row(
            r"(?:我)?(?:已经|刚)?把(?P<v>[\u4e00-\u9fffA-Za-z]{1,10}?)(?:给)?(?:注销|卖|退"
            r"|退订|卸载|卸|送人|停)(?:掉)?了$",
            "fact",
            "has",
            clean,
            withdraws=True,
        ),
        row(
            r"(?![他她你谁这那])(?:我的?)?(?P<v>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:我)?(?:已经"
            r"|早就?|都)?(?:注销|退订|送人|退租|卸载|卸)(?:掉)?了$",
            "fact",
            "has",
            clean,
            withdraws=True,
        ),
        row(
            r"(?:我的?)?(?P<v>[\u4e00-\u9fff]{1,6}[卡票课房车会员])(?:已经|都)?(?:退|卖)"
            r"(?:掉)?了$",
            "fact",
            "has",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}{NOW}不在\s?(?P<v>[\u4e00-\u9fffA-Za-z]{{2,10}}?)了$",
            "identity",
            "employer",
            _left,
            withdraws=True,
        ),
        row(
            rf"{ME}?{NOW}不(?:再)?养(?P<v>[\u4e00-\u9fff]{{1,4}})了$",
            "identity",
            "pet",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}?{NOW}(?:不再|不|早就不)(?P<v>(?:玩|看|打|喝|抽|吃|跑|练|学|追|刷)"
            rf"[\u4e00-\u9fffA-Za-z]{{1,8}})了$",
            "fact",
            "habit",
            clean,
            withdraws=True,
        ),
        row(
            rf"(?:{ME})?(?:已经|刚)?(?:退订|取消订阅|注销|卖掉|卖|退)了\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z ]{{2,16}})$",
            "fact",
            "uses",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}?(?:的)?(?P<v>车|房子|会员|电脑|游戏机|吉他|钢琴)(?:已经)?(?:卖|退|注销)"
            r"(?:掉)?了$",
            "fact",
            "has",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}不在\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)\s?(?:工作|上班|任职|干)了$",
            "identity",
            "employer",
            company,
            withdraws=True,
        ),
        row(
            rf"{ME}{NOW}(?:从|离开了?|辞掉了?)\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)\s?"
            r"(?:离职|辞职|的工作|跳槽)?了?$",
            "identity",
            "employer",
            _left,
            withdraws=True,
        ),
        row(
            rf"{ME}?{gone}(?:喜欢|爱|喜爱|爱吃|爱喝)\s?(?P<v>.{{1,20}}?)了?$",
            "preference",
            "likes",
            withdraws=True,
        ),
        row(rf"{ME}不(?:喜欢|爱)\s?(?P<v>.{{1,20}}?)了$", "preference", "likes", withdraws=True),
        row(
            rf"{ME}?{gone}(?:讨厌|反感|排斥)\s?(?P<v>.{{1,20}}?)了?$",
            "preference",
            "dislikes",
            withdraws=True,
        ),
        row(
            rf"{ME}?{gone}(?:对)\s?(?P<v>.{{1,12}}?)过敏了?$", "identity", "allergy", withdraws=True
        ),
        row(
            rf"{ME}?{gone}(?:是)?(?P<v>吃素|素食者|素食主义者)了?$",
            "identity",
            "diet",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}{NOW}(?:戒|戒掉)了?(?P<v>烟|酒|咖啡|糖|奶茶|游戏|熬夜)了?$",
            "fact",
            "habit",
            clean,
            withdraws=True,
        ),
        row(
            rf"{ME}?{gone}(?P<v>(?:抽烟|喝酒|熬夜|跑步|喝咖啡|吃肉|健身|打游戏)).{{0,4}}$",
            "fact",
            "habit",
            clean,
            withdraws=True,
        ),
    )


def _left(text: str) -> str:
    return (
        company(text)
        if re.match(
            r"[A-Z]|.{1,8}(?:公司|集团|银行|大学|科技)$|(?:腾讯|阿里|字节|百度|美团|华为"
            r"|京东|小米|网易|滴滴|快手|拼多多|微软|谷歌|苹果|阿里巴巴|字节跳动|亚马逊"
            r"|英特尔|英伟达|蚂蚁|小红书|哔哩哔哩|携程|联想|中兴|大疆|比亚迪|特斯拉)",
            text,
        )
        else ""
    )

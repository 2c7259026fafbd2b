"""Words that several Chinese patterns share."""

from __future__ import annotations

import re

from recollect.language.extract.values import clean, person

ME = r"(?:我本人|我这个人|我这人|我自己|我这边|我这儿|我个人|本人|我|俺)"
NOW = (
    r"(?:现在|目前|如今|一直|平时|平常|通常|一般|今年|已经|刚刚?|最近|主要|其实|也"
    r"|都|还|就|是|又|始终|基本上?|长期|常年|暂时|家|都是|大多|大部分时间|经常|常"
    r"|默认|日常|终于|上个?月|去年|前年|上周|昨天|前几天|前阵子|今天)*\s?"
)
WHO = (
    r"(?:(?P<we>本地(?:的)?|(?:我们|咱们|咱)(?:这边|这儿|的)?(?:团队|公司|项目|后端"
    r"|前端|组|部门|服务|线上|生产环境|服务器)?|团队|公司|项目|后端|前端|服务器"
    rf"|线上)|{ME}(?:的)?(?:电脑|笔记本|机器|开发机|手机|服务器|主力机)?)"
)
NUMBER = r"[\d一二两三四五六七八九十]{1,3}"
CITIES_LIKE = re.compile(
    r"(?:.{1,4}[省市县区州]|北京|上海|广州|深圳|杭州|南京|成都|重庆|武汉|西安|天津"
    r"|苏州|长沙|青岛|大连|东北|四川|湖南|湖北|广东|广西|浙江|江苏|山东|山西|河南"
    r"|河北|福建"
    r"|江西|安徽|云南|贵州|海南|陕西|甘肃|青海|宁夏|新疆|西藏|内蒙古?|辽宁|吉林"
    r"|黑龙江|台湾|香港|澳门|厦门|宁波|无锡|合肥|济南|郑州|沈阳|哈尔滨|昆明|福州"
    r"|温州|潮汕|客家|东莞|佛山|珠海"
    r"|美国|英国|德国|法国|日本|韩国|加拿大|澳大利亚|新加坡|马来西亚|中国|印度"
    r"|俄罗斯|意大利|西班牙|荷兰|瑞典|巴西|泰国|越南)"
)


def city(text: str) -> str:
    found = re.match(CITIES_LIKE, text)
    return (
        text
        if found
        and len(text) - found.end() <= 3
        and not re.search(r"[做工上出开旅玩]", text[found.end() :])
        else ""
    )


def trade(text: str) -> str:
    value = clean(text)
    bad = r"^(?:什么|啥|这|那|你|他|她|好|完|不|自己|最|得|错|对)|[了过着]"
    return "" if re.search(bad, value) else value


def called(text: str) -> str:
    bad = (
        "了",
        "他",
        "她",
        "你",
        "它",
        "个",
        "车",
        "外卖",
        "上",
        "不",
        "醒",
        "住",
        "着",
        "过",
        "来",
        "出",
        "人",
        "什么",
        "啥",
        "这",
        "那",
        "得",
        "滴",
        "快递",
        "我",
        "顺风",
        "救护",
        "大家",
        "错",
    )
    return "" if text.startswith(bad) else person(text)


def company(text: str) -> str:
    value = clean(text)
    bad = (
        r"^(?:家|外面|公司|这里?|那里?|哪|努力|认真|一起|外地|国外|线上|周末|晚上|电脑"
        r"|办公室|他|她|你|朋友|工位|单位|地铁|房间|床|同一|不同|.{0,4}(?:手机|上面"
        r"|里面)|一家.*|做.*|想.*|找.*|写.*|会议|群|团队|我们.*|上|新公司|大厂|学校"
        r"|附近.*|现场|很多.*|.*环境|.*分支)$"
    )
    return "" if not value or re.search(bad, value) or CITIES_LIKE.fullmatch(value) else value

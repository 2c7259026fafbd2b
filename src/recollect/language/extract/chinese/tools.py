"""Tools and versions in use, and changes of them, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import ME, NOW, WHO
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.products import (
    bare_version,
    canonical,
    product,
    versioned,
)
from recollect.language.extract.rows import (
    choice,
    read_row,
    upgraded,
    version,
)
from recollect.language.extract.values import clean, thing, tool

_TOOL = r"(?P<v>[A-Za-z.][A-Za-z0-9_.+#/ -]{0,30}|[\u4e00-\u9fff]{2,6}?)"
_SORTS = {
    "编辑器": "editor",
    "代码编辑器": "editor",
    "IDE": "editor",
    "ide": "editor",
    "shell": "shell",
    "终端": "terminal",
    "浏览器": "browser",
    "操作系统": "os",
    "系统": "os",
    "数据库": "database",
    "包管理器": "package_manager",
    "包管理": "package_manager",
    "电脑": "device",
    "笔记本": "device",
    "手机": "device",
    "键盘": "keyboard",
    "车": "car",
    "框架": "framework",
    "笔记软件": "notes_app",
    "编程语言": "programming_language",
    "主力语言": "programming_language",
    "开发语言": "programming_language",
    "云服务商": "cloud",
    "技术栈": "uses",
}
_SORT = "|".join(sorted(_SORTS, key=len, reverse=True))


def changes() -> tuple[Row, ...]:
    lately = (
        r"(?:把|已经|刚刚?|最近|现在|终于|都|也|全部|全面|统一|全|今天|昨天|上周|这周"
        r"|上个?月|前几天|去年|今年)*\s?(?:把|将)?\s?"
    )
    return (
        read_row(
            rf"{WHO}?{lately}(?P<name>[A-Za-z.+#][A-Za-z0-9_.+# ]{{0,24}}|"
            rf"[\u4e00-\u9fff]{{0,6}}?)\s?(?:的?版本)?\s?{lately}(?:从\s?(?P<old>"
            rf"[A-Za-z0-9_.+# ]{{1,24}}?)\s?)?(?:升级|升|更新|降级|回退|退回|切换|换|迁移|迁"
            rf"|改|锁|固定)(?:到|在|成|至|为|回)了?\s?(?P<v>v?[A-Za-z0-9_.+# -]{{1,30}})"
            r"(?:版本?)?\s?了?$",
            _upgraded,
        ),
        read_row(
            rf"{WHO}?{lately}(?:从\s?(?P<old>[\w.+# \u4e00-\u9fff-]{{1,20}}?)\s?)?(?:全面"
            r"|全部|统一|都)?(?:换|切|切换|改|转|迁移|迁|转向|投奔|换回|转投|搬)(?:到|成|用"
            rf"|为|至|去|回|到了|成了)?(?:使用)?了?\s?{_TOOL}\s?了?(?:来.{{1,16}})?$",
            _switched,
        ),
        read_row(
            rf"{WHO}?{lately}(?P<old>[\w.+# \u4e00-\u9fff-]{{1,20}}?)\s?(?:换|切|切换|改|迁移"
            rf"|替换|迁)(?:到|成|为|至)了?\s?{_TOOL}\s?了?$",
            _switched,
        ),
        read_row(
            rf"{WHO}?{lately}用\s?{_TOOL}\s?(?:替换|取代|代替|替代)(?:掉)?了?.{{1,20}}$", _switched
        ),
        read_row(
            rf"(?:{WHO})?(?:现在|已经|早就|目前|都|以后)*(?:不再|不)(?:使用|用)\s?{_TOOL}\s?"
            r"(?P<more>了)?$",
            _dropped,
        ),
        read_row(
            rf"(?:{WHO})?{lately}(?:弃用|停用|卸载|抛弃|放弃|废弃|淘汰|弃|卸)(?:掉)?"
            rf"(?:使用)?了?\s?{_TOOL}\s?了?$",
            _gone,
        ),
        read_row(
            rf"(?:{WHO})?{lately}{_TOOL}\s?(?:我|我们)?(?:已经|早就?|现在|都)*(?:不用|弃用"
            r"|停用|卸载|卸|退订|删|下线|停)(?:掉)?了$",
            _gone,
        ),
        read_row(rf"(?:{WHO})?(?:现在|已经)*不再支持\s?{_TOOL}\s?了?$", _gone),
    )


def tools() -> tuple[Row, ...]:
    use = r"(?:在使用|在用|使用|用)(?:着|的是|的都是|的就是)?"
    rest = (
        r"(?:\s?(?:来|加|配|和|做|写|开发|记|管理|作为|当|跑|部署|编程|搭|上网|沟通|办公|画|处理"
        r"|聊|打卡|写的|开发的|搭的).{0,16})?"
    )
    return (
        read_row(rf"{WHO}{NOW}(?:习惯|常|主力|主要|固定)?{use}\s?{_TOOL}{rest}$", _used),
        read_row(
            rf"{WHO}?{NOW}(?:的)?(?:主力|默认|常用|主要|首选|开发用的?)?(?P<of>{_SORT})"
            rf"(?:环境)?(?:是|用的?是?|跑的是|装的是|：|:)\s?(?P<v>.{{1,24}})$",
            _of_sort,
        ),
        read_row(
            rf"{WHO}{NOW}(?:装的是|跑的是|跑在|运行在|部署在|基于|是基于|装了|跑着"
            rf"|依赖)\s?{_TOOL}(?:上面?|里)?$",
            _using,
        ),
        read_row(
            rf"(?:(?:{ME}|我们|我的|公司|家里|目前|现在)(?:的|这边)?)?(?P<of>主力机|工作机"
            r"|开发机|电脑|笔记本|服务器|本子|机器|生产环境|线上)(?:系统)?(?:还是|现在|都"
            r"|目前|一直)*(?:是|用的是?|装的是?|跑的是?|用)\s?(?P<v>[A-Za-z]"
            rf"[A-Za-z0-9_.+# -]{{1,24}}?)(?:的|系统)?$",
            _using,
        ),
        read_row(
            rf"(?:{ME}|我们|咱们)?(?:这边|现在|目前|项目里?|公司|本地|线上|还|的)*(?P<name>"
            rf"[A-Za-z][A-Za-z.+#]{{1,16}})(?:现在|目前|还|用的|装的)*(?:是|还在|停在"
            rf"|在用)\s?(?P<v>v?\d[\d.]{{0,10}})(?:的|版本?|版的|上)?$",
            _version_of,
        ),
        read_row(
            r"(?:我的?|公司的?|家里的?|我们)?(?:[\u4e00-\u9fff]{0,4}(?:电脑|笔记本|手机"
            r"|服务器|派|开发机|机器|本子|平板))(?:上|里)?(?:都|目前|现在)?(?:装|跑|用)?"
            r"(?:的)?(?:是)?\s?(?P<v>[A-Za-z][A-Za-z.+# ]{1,16}?\s?v?\d[\d.]{0,10})(?:的"
            r"|系统)?$",
            _using,
        ),
        read_row(rf"{WHO}{NOW}(?:的)?主力(?:编辑器|工具|语言)?是\s?{_TOOL}$", _using),
        read_row(
            rf"{WHO}{NOW}是(?:用)?\s?(?P<v>[A-Za-z][A-Za-z0-9_.+# ]{{1,20}}?)(?:写|开发|搭"
            r"|做)的$",
            _using,
        ),
        read_row(
            r"(?:我们|咱们|项目|公司)(?:这边|项目)?(?:现在|目前|还|已经)*是\s?(?P<v>[A-Za-z]"
            r"[A-Za-z.+# ]{1,16}?\s?v?\d[\d.]{0,10})(?:了|的)?$",
            _using,
        ),
        read_row(
            rf"写\s?[A-Za-z+#]{{1,12}}\s?(?:的时候)?(?:我|我们)?(?:都|一般|一直|主要)?用"
            rf"(?:的是?)?\s?{_TOOL}$",
            _using,
        ),
        read_row(
            rf"(?:{ME}|我们|咱们)?(?:这边|公司|项目)?(?:现在|目前|还|一直|都)*(?:停在|卡在"
            r"|还在用|在跑|跑的是?|装的是?|用的是?|锁在|还是)(?P<v>[A-Za-z]"
            rf"[A-Za-z.+# ]{{1,16}}?\s?v?\d[\d.]{{0,10}})(?:的|版本?|上)?$",
            _using,
        ),
        read_row(
            rf"(?!.{{0,12}}[他她你谁])(?P<topic>[\u4e00-\u9fff]{{1,8}}?)(?:{ME}|我们)?(?:一般"
            r"|平时|一直|都|主要|现在|目前|基本|只|全|全都|固定|习惯|也)*(?:在用|用的是?"
            rf"|都?用|使用)\s?(?P<v>[A-Za-z][A-Za-z0-9_.+#/ -]{{1,24}})$",
            _topical,
        ),
        read_row(
            rf"{WHO}?(?P<topic>[\u4e00-\u9fff]{{1,6}}?)(?:都|全|一般)?(?:记|写|存|放|管理|画"
            rf"|做|跑|部署|托管|建)在\s?(?P<v>[A-Za-z][A-Za-z0-9_.+# -]{{1,20}}|语雀|飞书"
            r"|阿里云|腾讯云|华为云|印象笔记)(?:里面?|上面?|中)$",
            _using,
        ),
        read_row(
            rf"{ME}{NOW}(?:是)?(?:个)?(?P<v>[A-Za-z][A-Za-z0-9_.+# ]{{1,16}}?)\s?(?:党|用户"
            r"|重度用户|老用户|选手)$",
            _using,
        ),
        read_row(
            rf"{WHO}?{NOW}用的\s?(?P<name>[A-Za-z][A-Za-z.+#]{{1,16}})\s?版本是\s?(?P<v>v?\d"
            rf"[\d.]{{0,10}})$",
            _version_of,
        ),
        read_row(
            rf"{WHO}?(?:的)?(?P<name>[A-Za-z.+#][\w.+#]{{0,20}}|[\u4e00-\u9fff]{{2,4}})\s?"
            r"(?:的)?(?:集群|系统|驱动|环境|语言)?版本(?:号)?(?:现在|目前)?(?:是|为|固定在"
            rf"|锁在|锁定在|停在|用的是|：|:)?\s?(?P<v>v?\d[\d.]{{0,15}})$",
            _version_of,
        ),
        read_row(
            rf"{WHO}{NOW}(?:用|写|开发用|主要写)\s?(?P<v>[A-Za-z+#]{{1,16}})\s?(?:写代码|编程"
            r"|开发|写后端|写前端|为主)?$",
            _using,
        ),
    )


def _team(match: re.Match[str]) -> str:
    said = match.groupdict().get("we") or ""
    if not said:
        return USER
    return "project" if re.search(r"项目|后端|前端|服务|线上|生产", said) else "team"


def _upgraded(match: re.Match[str]) -> Found | None:
    name = match["name"].strip()
    old = match.groupdict().get("old") or ""
    if old and not product(name) and (versioned(old) or product(old)):
        name = ""  # "数据库从 MySQL 5.7 升到 8.0"
    if (
        name
        and not product(name)
        and not versioned(name)
        and not re.fullmatch(r"[A-Za-z][\w.+#]*", name)
    ):
        name = ""
        if not versioned(clean(match["v"])):
            return None
    found = upgraded(name or old, match["v"], subject=_team(match))
    return found if found and found.predicate in ("version", "os") else None


def _switched(match: re.Match[str]) -> Found | None:
    return choice(
        re.sub(r"\s?(?:来|写|做|开发|管理|记).*$", "", match["v"]),
        subject=_team(match),
        update=True,
    )


def _dropped(match: re.Match[str]) -> Found | None:
    if "不再" not in match.group() and not match["more"]:
        return None
    return _gone(match)


def _gone(match: re.Match[str]) -> Found | None:
    return choice(match["v"], subject=_team(match), withdraws=True)


def _used(match: re.Match[str]) -> Found | None:
    if re.search(r"[写做跑画搭用]了|了一[个下]|一下|试|过", match.group()):
        return None  # used once, for something
    named = choice(match["v"], subject=_team(match))
    return named or choice(match["v"].split(" ")[0], subject=_team(match), known=True)


def _using(match: re.Match[str]) -> Found | None:
    if re.search(r"了一|一下|过$", match.group()):
        return None
    return choice(match["v"], subject=_team(match), known=True)


def _of_sort(match: re.Match[str]) -> Found | None:
    value = thing(match["v"], 24)
    predicate = _SORTS[match["of"]]
    if not value:
        return None
    pair = versioned(value)
    if pair and predicate == "os":
        return version(*pair)
    hardware = predicate in ("device", "keyboard", "car")
    if hardware and not re.search(r"[A-Za-z0-9]|华为|小米|苹果|联想|戴尔|特斯拉|比亚迪", value):
        return None
    if not hardware and not tool(value):
        return None
    return Found("config", USER, predicate, canonical(value), is_update="换成" in match.group())


def _version_of(match: re.Match[str]) -> Found | None:
    number = bare_version(match["v"])
    if not number or not (product(match["name"]) or match["name"][0].isupper()):
        return None
    return version(canonical(match["name"]), number)


def _topical(match: re.Match[str]) -> Found | list[Found] | None:
    """ "画图一直用的 draw.io": a habit told by its use, with nobody named."""
    if re.search(
        r"[他她它你谁这那哪帮请把给让叫被没别不]|如何|可以|应该|能|想|要|会|建议|以后"
        r"|大家|别人|公司的人|老板|同事|朋友|如果|先|再|直接|尽量|统一|默认|务必|必须"
        r"|一律",
        match["topic"],
    ):
        return None
    if re.search(r"[写做跑画搭用]了|一下|试|过$", match.group()):
        return None
    return (
        choice(match["v"], subject=_team(match))
        if "we" in match.re.groupindex
        else choice(match["v"])
    )

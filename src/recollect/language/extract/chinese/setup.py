"""Ports and paths, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import ME
from recollect.language.extract.found import Found, Row
from recollect.language.extract.products import canonical
from recollect.language.extract.rows import read_row
from recollect.language.extract.values import clean

_PATH = r"(?P<v>(?:~|\.{1,2})?/[A-Za-z0-9_./@~-]{1,120}|[A-Za-z]:\\[A-Za-z0-9_\\.-]{1,120})"
_POINTING = ("它", "这", "那", "哪", "他", "她", "你", "报错", "错误")


def setup() -> tuple[Row, ...]:
    own = rf"(?:(?:我们|{ME})(?:的)?)?(?P<s>[\w.+#\u4e00-\u9fff -]{{0,20}}?)"
    return (
        read_row(
            rf"{own}\s?(?:的)?(?:端口号?|port)\s?(?P<new>已经|现在)?(?:是|为|用的是|用|：|:|="
            r"|设的是|设成了?|(?=\d)|(?P<chg>改成了?|换成了?|改为了?|改到了?))\s?"
            rf"(?P<v>\d{{2,5}})了?$",
            _port,
        ),
        read_row(
            rf"{own}\s?(?:跑|监听|运行|部署|起|开|挂|暴露)(?:在|着|了|的是|到)?\s?"
            rf"(?:本地的?)?(?P<v>\d{{2,5}})\s?(?:号)?(?:端口)?(?:上)?$",
            _port,
        ),
        read_row(
            rf"{own}\s?(?:的)?(?:路径|目录|文件夹|位置|存放路径)?\s?(?:都)?(?:在|放在|位于|是"
            rf"|存在|存放在|装在|为|：|:|保存在)\s?{_PATH}(?:\s?(?:目录)?(?:下面?|里面?"
            r"|目录))?$",
            _path,
        ),
    )


def _port(match: re.Match[str]) -> Found | None:
    subject = clean(match["s"]) or "project"
    if subject.startswith(_POINTING):
        return None
    update = bool(match.groupdict().get("chg"))
    return Found("config", canonical(subject), "port", match["v"], is_update=update)


def _path(match: re.Match[str]) -> Found | None:
    subject = re.sub(r"(?:代码|都|就|的)+$", "", clean(match["s"])) or (
        "代码" if "代码" in match["s"] else "project"
    )
    if subject.startswith(_POINTING):
        return None
    return Found("config", subject, "path", match["v"].rstrip("."))

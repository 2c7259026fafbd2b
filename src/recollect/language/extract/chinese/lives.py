"""Work, school, health and family, as told in Chinese."""

from __future__ import annotations

import re

from recollect.language.extract.chinese.words import (
    ME,
    NOW,
    NUMBER,
    called,
    company,
    trade,
)
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import fixed, read_row, row
from recollect.language.extract.values import clean, person, thing

_ROLE = (
    r"工程师|程序员|设计师|老师|教师|医生|护士|律师|学生|经理|科学家|分析师|架构师"
    r"|顾问|作家|记者|会计|教授|研究员|厨师|飞行员|牙医|药剂师|画家|音乐家|摄影师"
    r"|自由职业者?|创始人|创业者|管理员|测试|翻译|编辑|公务员|司机|警察|军人|博士后?"
    r"|硕士|研究生|本科生|大学生|实习生|产品经理|运维|前端|后端|全栈|算法|开发者?"
    r"|开发人员"
    r"|销售|运营|主播|演员|导演|教练|心理咨询师|咨询师|建筑师|农民|店长|老板|总监"
    r"|主管|码农|高中生|初中生|讲师|外科医生|兽医|快递员|客服|HR|CEO|CTO|SRE|DBA"
    r"|产品|架构|数据分析|博主|编剧|策划|审计师?|精算师|药师|营养师|健身教练|程序媛"
    r"|策展人|插画师|剪辑师|技术负责人"
)
_RELATIVE = {
    "老婆": "wife",
    "妻子": "wife",
    "太太": "wife",
    "媳妇": "wife",
    "老公": "husband",
    "丈夫": "husband",
    "先生": "husband",
    "爱人": "spouse",
    "儿子": "son",
    "女儿": "daughter",
    "闺女": "daughter",
    "孩子": "children",
    "宝宝": "children",
    "娃": "children",
    "妈妈": "mother",
    "母亲": "mother",
    "妈": "mother",
    "爸爸": "father",
    "父亲": "father",
    "爸": "father",
    "哥哥": "brother",
    "弟弟": "brother",
    "姐姐": "sister",
    "妹妹": "sister",
    "女朋友": "girlfriend",
    "女友": "girlfriend",
    "男朋友": "boyfriend",
    "男友": "boyfriend",
    "对象": "partner",
    "爷爷": "grandfather",
    "奶奶": "grandmother",
    "外公": "grandfather",
    "外婆": "grandmother",
    "室友": "roommate",
    "老板": "boss",
    "未婚妻": "fiancee",
    "未婚夫": "fiance",
}
_RELATIVES = "|".join(sorted(_RELATIVE, key=len, reverse=True))
_PET = (
    r"猫咪|猫|狗狗|狗|小猫|小狗|橘猫|布偶|英短|柯基|金毛|拉布拉多|哈士奇|泰迪|柴犬"
    r"|鹦鹉|仓鼠|兔子|乌龟|龙猫|鱼|边牧|美短"
)
_TONGUE = (
    r"(?:英语|英文|中文|汉语|普通话|粤语|日语|日文|法语|德语|西班牙语|韩语|俄语"
    r"|葡萄牙语|意大利语|阿拉伯语|泰语|越南语|闽南语|上海话|四川话|客家话|"
    r"[\u4e00-\u9fff]{1,3}[语话])"
)


def jobs() -> tuple[Row, ...]:
    return (
        row(
            r"(?:我)?(?:是)?(?:做|搞|干|写|学)(?P<v>[\u4e00-\u9fffA-Za-z+#/ ]{2,14})的$",
            "identity",
            "job",
            trade,
        ),
        row(
            rf"{ME}{NOW}在(?:读|念)(?P<v>[\u4e00-\u9fff]{{0,6}}(?:研究生|博士|硕士|本科|大"
            r"[一二三四]|研[一二三]|高[一二三]))$",
            "identity",
            "job",
            clean,
        ),
        read_row(
            rf"{ME}{NOW}(?:是|做|当)(?:在)?(?:(?P<at>[\u4e00-\u9fffA-Za-z]{{2,12}}?)的)?"
            rf"(?:一个|一名|一位|个|名|位)?(?P<v>[\u4e00-\u9fffA-Za-z+#/ ]{{0,12}}?"
            rf"(?:{_ROLE}))$",
            _job,
        ),
        read_row(
            rf"{ME}{NOW}在(?P<at>[\u4e00-\u9fffA-Za-z]{{2,12}}?)(?:做|当|担任)(?:一名|一个)?"
            rf"(?P<v>[\u4e00-\u9fffA-Za-z+#/ ]{{0,10}}?(?:{_ROLE}))(?:工作)?$",
            _job,
        ),
        row(
            rf"{ME}(?:的)?(?:职业|工作|岗位|本职工作|职位)(?:是|：|:)\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z ]{{2,16}})$",
            "identity",
            "job",
        ),
        row(
            rf"{ME}是(?:做|搞|干|学)(?P<v>[\u4e00-\u9fffA-Za-z+#/ ]{{2,12}})的$", "identity", "job"
        ),
        row(rf"{ME}从事(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}}?)(?:工作|行业)?$", "identity", "job"),
        row(
            rf"{ME}?{NOW}在\s?(?P<v>[\u4e00-\u9fffA-Za-z0-9 ]{{2,16}}?)\s?(?:工作|上班|任职"
            r"|就职|供职|实习|打工)$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{ME}{NOW}(?:就职|任职|供职)于\s?(?P<v>[\u4e00-\u9fffA-Za-z0-9 ]{{2,16}})$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{ME}?{NOW}(?:入职|加入|跳槽到|跳槽去|跳槽来|跳到)了?\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z0-9]{{2,14}})$",
            "identity",
            "employer",
            company,
            update=True,
        ),
        row(
            rf"{ME}们?(?:的)?公司(?:名字)?(?:是|叫)\s?(?P<v>"
            rf"[\u4e00-\u9fffA-Za-z0-9 ]{{2,16}})$",
            "identity",
            "employer",
            company,
        ),
        row(
            rf"{ME}{NOW}在\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,14}}?(?:大学|学院|中学|高中|"
            rf"[清北]|交大|复旦))(?:读书|上学|念书|读.{{1,8}}|学.{{1,8}}|就读)$",
            "identity",
            "school",
        ),
        row(
            rf"{ME}(?:的)?(?:专业是|学的是|主修)\s?(?P<v>[\u4e00-\u9fffA-Za-z ]{{2,12}})$",
            "identity",
            "major",
        ),
    )


def traits() -> tuple[Row, ...]:
    return (
        row(
            rf"{ME}{NOW}(?:是)?(?:个|一个|一名|位)?(?P<v>(?:单亲)?(?:妈妈|爸爸|宝妈|奶爸"
            r"|全职妈妈|全职太太))$",
            "identity",
            "family",
            clean,
        ),
        row(
            rf"{ME}{NOW}(?:是)?(?:个)?(?P<v>[\u4e00-\u9fffA-Za-z]{{1,8}})(?:党|控|派|爱好者"
            r"|迷|粉丝|重度用户|老用户)$",
            "preference",
            "likes",
        ),
        row(
            rf"{ME}?(?:的)?口味(?:偏|比较|很|挺)(?P<v>[\u4e00-\u9fff]{{1,4}})$",
            "preference",
            "likes",
            clean,
        ),
        row(
            rf"{ME}{NOW}(?:是)?(?:个|一个)?(?P<v>色盲|色弱|左撇子|近视|糖尿病|高血压|夜猫子"
            r"|早起的人|社恐|聋人|孕妇)(?:患者)?$",
            "identity",
            "trait",
            clean,
        ),
        row(
            rf"{ME}(?:的)?(?:工作)?(?:邮箱|电子邮件|email)(?:地址)?是\s?(?P<v>"
            rf"[\w.+-]{{1,40}}@[\w.-]{{3,60}})$",
            "identity",
            "email",
            clean,
        ),
        row(rf"{ME}(?:的)?母语是\s?(?P<v>{_TONGUE})$", "identity", "native_language"),
        row(
            rf"{ME}{NOW}(?:会|能)(?:说|讲)(?:一点|流利的)?(?P<v>{_TONGUE}(?:"
            rf"[和、跟与]{_TONGUE}){{0,3}})$",
            "identity",
            "language",
        ),
        row(
            rf"{ME}{NOW}(?:在学|正在学习?|开始学|自学)(?P<v>{_TONGUE}|吉他|钢琴|画画|游泳"
            r"|书法|[A-Z][\w+#]*|\s[A-Za-z+#]+)$",
            "fact",
            "learning",
        ),
        row(
            rf"{ME}对\s?(?P<v>[\u4e00-\u9fffA-Za-z、和 ]{{1,16}}?)\s?(?:严重|轻度|有点|会|很"
            r"|都)*过敏$",
            "identity",
            "allergy",
        ),
        row(rf"{ME}{NOW}(?P<v>[\u4e00-\u9fff]{{1,6}})过敏$", "identity", "allergy", _allergen),
        row(
            rf"{ME}{NOW}(?:是)?(?:个)?(?P<v>素食主义者|素食者|吃素|纯素|乳糖不耐受?|清真)"
            r"(?:的)?$",
            "identity",
            "diet",
            clean,
        ),
        row(
            rf"{ME}{NOW}(?:从来)?(?:不吃|不能吃|吃不了|忌口|不沾|不喝|不能喝)(?P<v>"
            rf"[\u4e00-\u9fff、和]{{1,12}})$",
            "identity",
            "diet",
            _not_eaten,
        ),
    )


def family() -> tuple[Row, ...]:
    return (
        read_row(
            rf"{ME}(?:的|家)?(?P<who>{_RELATIVES})(?:的名字)?(?:叫做?|名叫|的名字是"
            r"|名字是)\s?(?P<v>"
            rf"[\u4e00-\u9fff]{{1,4}}|[A-Z][A-Za-z ]{{1,16}})$",
            _relative,
        ),
        read_row(
            rf"{ME}{NOW}有(?:了)?(?P<n>[一两二三四1-4])个(?P<who>{_RELATIVES})(?:[，, ]?(?:名)?叫"
            rf"(?P<v>[\u4e00-\u9fff]{{1,4}}))?$",
            _relative,
        ),
        read_row(
            rf"{ME}(?:的|家)?(?P<who>{_RELATIVES})(?:今年|现在|已经|刚满|快)*\s?"
            rf"(?P<age>{NUMBER})\s?"
            r"(?:周)?岁(?:了|半)?$",
            _relative_age,
        ),
        fixed(rf"{ME}{NOW}(?:结婚了?|已婚|成家了?)$", "identity", "marital_status", "married"),
        fixed(
            rf"{ME}{NOW}(?:单身|未婚|没结婚|还没结婚)(?:狗)?$",
            "identity",
            "marital_status",
            "single",
        ),
        fixed(rf"{ME}{NOW}(?:离婚了?|离异)$", "identity", "marital_status", "divorced"),
        fixed(rf"{ME}{NOW}订婚了?$", "identity", "marital_status", "engaged"),
        read_row(
            rf"(?:{ME}(?:家)?|我?家里|我们家){NOW}(?:养|有|领养|收养)(?:了|着)?(?P<n>"
            rf"[一两二三四五1-9])?[只条个]?(?P<who>[\u4e00-\u9fff]{{0,3}}?(?:{_PET}))(?:"
            rf"[，, ]?(?:名字)?(?:名)?叫(?P<v>[\u4e00-\u9fffA-Za-z]{{1,10}}))?$",
            _pet,
        ),
        read_row(
            rf"{ME}(?:家|的|家的|养的)?(?:那只)?(?P<who>{_PET}|宠物)(?:的名字)?(?:叫做?|名叫"
            rf"|是叫)\s?(?P<v>[\u4e00-\u9fff]{{1,4}}|[A-Za-z]{{2,12}})$",
            _pet,
        ),
    )


def _job(match: re.Match[str]) -> Found | list[Found] | None:
    value = clean(match["v"])
    if re.match(
        r"(?:不|你|他|她|说|来|怕|想|要|第一次|新|在|和|跟|找|问|帮|让|因为|为了|用|使用)", value
    ) or re.search(r"的|了", value):
        return None
    found = [Found("identity", USER, "job", value)]
    at = company(match["at"]) if match["at"] else ""
    if at:
        found.append(Found("identity", USER, "employer", at))
    return found


def _allergen(text: str) -> str:
    value = thing(text)
    return (
        value
        if re.search(
            r"花粉|海鲜|花生|芒果|牛奶|鸡蛋|虾|蟹|坚果|尘螨|猫毛|狗毛|青霉素|酒精|乳糖|麸质|头孢",
            value,
        )
        else ""
    )


def _not_eaten(text: str) -> str:
    value = thing(text)
    return (
        ""
        if not value or re.match(r"早饭|晚饭|午饭|早餐|晚餐|午餐|饭|亏|惯|消|苦|这|水", value)
        else f"不吃{value}"
    )


def _relative(match: re.Match[str]) -> Found | None:
    groups = match.groupdict()
    name = person(groups["v"]) if groups["v"] else ""
    if groups["v"] and not called(groups["v"]):
        return None
    count = f"{groups['n']}个{match['who']}" if groups.get("n") else match["who"]
    return Found("identity", USER, _RELATIVE[match["who"]], name or count)


def _relative_age(match: re.Match[str]) -> Found:
    return Found("identity", USER, f"{_RELATIVE[match['who']]}_age", match["age"])


def _pet(match: re.Match[str]) -> Found | None:
    groups = match.groupdict()
    if groups["v"]:
        name = called(groups["v"])
        return Found("identity", USER, "pet", name) if name else None
    if not groups.get("n") and not re.search(r"养", match.group()):
        return None
    return Found("identity", USER, "pet", match["who"])

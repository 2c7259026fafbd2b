"""Whether words can be the value of a slot: a name of a person, a place, a date, a food …

A name is told by its shape and by what it is not: an English one is written with a capital letter
or well known, and is no ordinary word; a Chinese one begins with a surname, a form of address or is
written out of its sounds, and holds no word that only a sentence has. The word lists are data
(``lexicon/``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

from mnemic.language.entity_words import SURNAMES
from mnemic.language.name_words import COMPOUND_SURNAMES

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_DASHES = "----"
_INFLECTED = ("ies", "es", "s", "ed", "d", "ing", "ly", "er", "est", "'s", "'re", "'m", "'ve", "'ll")
_PARTICLES = frozenset("de da di del della van von der den bin al el la le ben ibn st of y e".split())
_NO_SURNAME = frozenset("president manager speaker chairman ambassador right perfect".split())
_PLACE_LEADS = frozenset(
    "a an the near outside north south east west northern southern eastern western central upstate downtown"
    " suburban rural greater inner just".split()
)
_TITLES = frozenset("mr mrs ms miss dr prof sir madam lady lord captain coach uncle aunt".split())
# Characters that stand in sentences and hardly ever in a name of a person or a place.
_SENTENCE = re.compile(
    r"[的了着吗呢吧啊我你您他她它们这那哪谁很就都也还又把被给跟对从让每些个几没不是有要会能说看听吃喝买做去来到过得找带打叫用住]"
)
_PLACE_SENTENCE = re.compile(
    r"[了着吗呢吧啊我你您他她它们谁很就都也还又把被给跟对从让没不是想说看听吃喝买得找带]|什么|怎么|这个|那个|的话"
)
_SOUNDS = re.compile(
    r"[阿埃艾爱安昂奥巴白柏班邦保鲍贝本比彼毕宾波伯勃博布查达大戴丹道德登狄迪蒂丁杜多厄恩尔法凡菲费芬弗福佛盖冈"
    r"高戈格古哈海汉赫亨胡华怀霍基吉加简杰金卡凯坎康考柯科克肯库夸昆拉莱赖兰朗劳勒雷黎里利莉莲林琳卢鲁露伦罗洛"
    r"马玛迈麦曼茅梅门蒙米密缅明摩莫默姆穆娜纳奈南内尼妮宁纽努诺欧帕派潘庞佩彭皮平珀普齐奇乔琼丘让饶热仁日茹瑞若"
    r"萨塞赛桑瑟森沙莎山尚舍圣施什史司丝斯思松苏索塔泰坦汤唐陶特腾提廷汀图托瓦万旺威韦维薇卫魏温文翁沃乌武西希锡"
    r"夏香肖谢辛欣休许丽翰逊夫娅姬蕾黛缇琪诗婷蓓丝妲雅亚扬耶叶伊依英尤于约泽扎詹珍芝朱佐茨兹纳歇顿堡·]+"
)
_CALLED = re.compile(r"[小老阿大][\u4e00-\u9fff]{1,2}|[\u4e00-\u9fff]{1,2}[哥姐叔姨爷婆伯总工董]|([\u4e00-\u9fff])\1")
_TITLED = re.compile(r"(?:先生|女士|小姐|太太|老师|医生|教授|师傅|同学|经理|阿姨|叔叔|律师)$")
_PLACE_END = re.compile(r"[市省县区镇乡村州岛港湾街路巷弄城国湖山园苑坊庄屯寨营桥店里府庭湾郡洲堡口沟岗]$|附近$|那边$|郊区$|市中心$|小区$")
_NO_PLACE = re.compile(r"公司|集团|银行|医院|时间|里面|上面|家里|学校$|办公室|朋友|父母|爸妈|男友|女友|宿舍$|酒店$|出租屋")
_DATE = re.compile(
    r"\d|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[月日号节]|除夕|中秋|重阳|端午|初[一二三四五六七八九十]|"
    r"(?i:christmas|new year|easter|halloween|valentine)"
)
_QUANTITY = re.compile(
    r"\d|[一二三四五六七八九十百千万两半]|(?i:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|half|mid|early|late)\b)"
)
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_PHONE = re.compile(r"\+?[\d() .-]*\d[\d() .-]*(?:(?:ext|x|转)\.? ?\d+)?")
_ZONE = re.compile(
    r"(?i:utc|gmt|[a-z]+/[a-z_]+|\b[a-z]{1,3}[sd]t\b|\btime\b|central|eastern|pacific|mountain)|时区|(?:京|标准|东部|西部|当地|欧洲|美国)\w*时间|^[+-]?\d"
)
_TONGUE = re.compile(r"[\u4e00-\u9fff]{1,6}?(?:[语文话]|方言).{0,12}|[A-Z][a-z]+(?: [A-Z]?[a-z]+)?|c\+\+|sign language", re.I)
_NO_TONGUE = re.compile(r"[实真大谎坏好闲人梦废情笑空硬][话]|论文|作文|散文|电话|说话|听话|对话")
_DIET = re.compile(
    r"(?i:vegetarian|vegan|pescatarian|flexitarian|omnivore|halal|kosher|keto|paleo|low[- ]?carb|low[- ]?sodium|gluten|lactose"
    r"|dairy[- ]free|nut[- ]free|sugar[- ]free|plant[- ]based|intermittent fasting|carnivore|diabetic|celiac|coeliac)|素|清真|斋|生酮|低碳|低糖|低盐|无麸质|断食|减脂餐"
)
_ARTICLE = re.compile(r"^(?:no|not|any|the|an?|some|of)\s+", re.I)
_PRONOUN = re.compile(r"(?i:\b(?:i|you|he|she|it|we|they|me|him|us|them|my|your|this|that|these|those|who|what|which|here|there)\b)")
_JOB_NO = re.compile(r"(?i:^(?:an? )?(?:very |really |pretty |such |quite )?(?:good|great|bad|terrible|big|huge|total|little|nice|happy|lucky|safe|fast|slow|careful)\b)"
    r"|[了吗呢吧]$|[的]$|带你|认为|觉得|^(?:跟|把|被|给|去|来|再|还|也|都|想|要|会|能|让|带|叫)|不是")


@cache
def _lexicon(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a list before the line of dashes, and those after it."""
    text = resources.files(__package__).joinpath("lexicon", name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    body = "\n".join(lines).partition(_DASHES)
    split = re.compile(r"[|\n]" if "|" in text else r"\s+")
    before, after = (frozenset(filter(None, split.split(part))) for part in (body[0], body[2]))
    return before, after


def is_ordinary(word: str) -> bool:
    """Whether an English word is one of the dictionary, whatever its ending."""
    word = word.lower().replace("’", "'").rstrip(".")
    common = _lexicon("common.txt")[0]
    if word in common or "'" in word and word.partition("'")[2] in ("s", "re", "m", "ve", "ll", "d", "t"):
        return True
    for ending in _INFLECTED:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and ({stem, f"{stem}e", f"{stem}y"} & common or stem[-1:] == stem[-2:-1] and stem[:-1] in common):
            return True
    return False


def is_known_name(word: str) -> bool:
    """Whether a word is a common given name, perhaps besides an ordinary word."""
    names, both = _lexicon("names.txt")
    return word.lower() in names or word.lower() in both


def is_known_place(text: str) -> bool:
    """Whether a text is, or begins or ends with, a country, a province or a large city."""
    english, chinese = _lexicon("places.txt")
    if _HAN.search(text):
        return any(text.startswith(place) for place in chinese) or text in chinese
    folded = text.lower().replace(".", "").removeprefix("the ")
    return any(part.strip() in english for part in (folded, *folded.split(","), *folded.split(" and ")))


def is_person(value: str) -> bool:
    """A name of a person."""
    if _HAN.search(value):
        return _is_chinese_person(value)
    words = [word for word in _WORD.findall(value) if word.lower().rstrip(".") not in _TITLES]
    if not words or len(words) > 5 or any(c.isdigit() for c in value):
        return False
    words = [word for word in words if word not in _PARTICLES]
    if len(words) > 1 and is_known_name(words[0]):  # any word may be a surname: Ford, Brown
        return all(word[:1].isupper() or is_known_name(word) for word in words[1:])
    if value != words[0] and len(words) == 1 and words[0][:1].isupper():
        return not is_ordinary(words[0]) or words[0].lower() not in _NO_SURNAME  # Mr Brown
    return all(map(_may_be_name, words)) and not (
        len(words) == 1 and value.lower() in _lexicon("places.txt")[0] and not is_known_name(words[0])
    )


def _may_be_name(word: str) -> bool:
    if is_known_name(word):
        return True
    return word[:1].isupper() and not is_ordinary(word) and not word.endswith(("'s", "’s"))


def _is_chinese_person(value: str) -> bool:
    latin = re.sub(r"[\u4e00-\u9fff\s]", "", value)
    name = _TITLED.sub("", value)
    if latin.isalpha() and latin.isascii():
        return len(name) <= 20 and not _SENTENCE.search(name)
    if not name:
        return False
    if _CALLED.fullmatch(name):
        return not _SENTENCE.search(name)
    if _SENTENCE.search(name) and name[:2] not in COMPOUND_SURNAMES:
        return False
    if "·" in name or (2 <= len(name) <= 6 and _SOUNDS.fullmatch(name)):
        return not is_known_place(name) or name[0] in SURNAMES
    surname = name[:2] in COMPOUND_SURNAMES or name[0] in SURNAMES or name[0] in _MORE_SURNAMES
    return surname and len(name) <= 4 and not is_known_place(name) and not _COMMON_HAN.search(name)


_MORE_SURNAMES = "安常车成池楚戴邓丁窦段樊方封符甘管郭韩洪侯胡华霍姬简焦靳景康孔赖蓝冷黎廖凌娄路吕栾麦满毛闵穆聂宁牛潘齐钱强乔秦邱裘屈任阮桑沙单商申沈盛施时史司宋孙谭汤滕田佟童屠万汪温文翁巫武席项邢熊徐宣严晏燕阳易应游于虞喻岳云翟詹湛张甄支仲祝庄宗邹左于"
_COMMON_HAN = re.compile(r"家园|花园|公司|集团|大厦|广场|小区|外卖|快递|公寓|金色|白色|黄色|高兴|安静|平时|时候|文件|方案|方便|方法|何必|何况|任何|任务|严重|应该|应聘|成功|常常|万一|强烈|马上|江湖|高级|高大|白天|黄金|花生|安排|安全|温柔|明天|开心|难过|阳光|游戏|项目|宣传|支持|简单|景点|管理|路上|车上|车站|单位|单身|单纯")


def is_nickname(value: str) -> bool:
    """What somebody wants to be called."""
    if _HAN.search(value):
        return len(value) <= 6 and not _SENTENCE.search(value) and not _COMMON_HAN.search(value)
    words = value.split()
    titled = words[:1] and words[0].lower().rstrip(".") in _TITLES
    return is_person(value) or bool(titled) or (
        len(words) <= 3 and value[:1].isupper() and not is_ordinary(words[0])
    )


def is_pet(value: str) -> bool:
    """The name of an animal, which may be any word, or what it is."""
    if _HAN.search(value):
        return len(value) <= 6 and not re.search("[的了着我你您他她这那很疼死给找]", value)
    return len(value.split()) <= 3 and not _PRONOUN.search(value)


def is_place(value: str) -> bool:
    """Somewhere to live or to come from."""
    if is_known_place(value):
        return len(value) <= 60
    if _HAN.search(value):
        if _PLACE_SENTENCE.search(value) or _NO_PLACE.search(value) or len(value) > 20:
            return False
        return bool(_PLACE_END.search(value)) or (len(value) <= 6 and not _SENTENCE.search(value)) or bool(re.search("[A-Za-z0-9]", value))
    words = _WORD.findall(value)
    named = [word for word in words if word[:1].isupper()]
    if words and words[0].islower() and named and words[0] not in _PLACE_LEADS:
        return False  # "up in Altadena", "at Room 222"
    if value.islower() and 0 < len(words) <= 2:  # by somebody who never uses capitals
        return not any(map(is_ordinary, words)) and not any(map(is_known_name, words))
    if not named or _PRONOUN.search(value.replace("US", "")):
        return False
    telling = [word for word in named if not is_ordinary(word)]
    return bool(telling) or len(named) > 1 or bool(re.search(r"\d", value))


def is_organization(value: str) -> bool:
    """Somebody's employer or school."""
    if _HAN.search(value):
        return not re.search(r"[了着吗呢吧我你您他她它们这那哪谁很就都也还又把被给跟从让没不想说看听吃喝买得找带]|做过|开始|一个|隔间|^地|毕业$|领域$|运动$", value)
    return not _PRONOUN.search(value) and len(value.split()) <= 8


def is_job(value: str) -> bool:
    """What somebody does for a living."""
    return not _JOB_NO.search(value) and len(value.split()) <= 14


def is_food(value: str) -> bool:
    """A diet, or food that somebody leaves out."""
    if _DIET.search(value):
        return True
    english, chinese = _lexicon("foods.txt")
    if _HAN.search(value):
        return any(food in value for food in chinese)
    words = _ARTICLE.sub("", value.lower())
    words = _ARTICLE.sub("", words)
    return bool(re.search(rf"\b(?:{'|'.join(english)})\b", words)) and not _PRONOUN.search(words) and "allerg" not in words


def is_condition(value: str) -> bool:
    """What somebody suffers from or reacts to."""
    if _HAN.search(value):
        return not re.search(r"[了着吗呢我你您他她们这那谁很就都也还每不]|没有|其实", value) and len(value) <= 20
    return not _PRONOUN.search(value) and len(value.split()) <= 8


def is_contact(value: str) -> bool:
    """An address of mail, a telephone number, or a handle."""
    if "@" in value:
        return bool(_EMAIL.search(value)) or value.startswith("@")
    if _PHONE.fullmatch(value.strip()):
        return sum(c.isdigit() for c in value) >= 5
    return bool(re.fullmatch(r"[\w.+-]{3,40}", value)) and not _HAN.search(value)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "person": is_person,
    "nickname": is_nickname,
    "place": is_place,
    "organization": is_organization,
    "job": is_job,
    "date": lambda value: bool(_DATE.search(value)),
    "quantity": lambda value: bool(_QUANTITY.search(value)),
    "contact": is_contact,
    "zone": lambda value: bool(_ZONE.search(value)) or is_place(value),
    "language": lambda value: bool(_TONGUE.fullmatch(value)) and not _NO_TONGUE.search(value),
    "food": is_food,
    "condition": is_condition,
}


def fits(type_: str, value: str) -> bool:
    """Whether a value is of a type of ``rules/slots.py``; any value is of one without a check."""
    check = _CHECKS.get(type_)
    return check is None or check(value.strip())

"""The slot of a statement: what it is about, whatever the spelling.

Two statements with one subject and one predicate answer the same question. Some questions have one
answer at a time (which version, where somebody lives), others many (what somebody likes).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

SEPARATOR = "\x1f"
_SHORT = 40  # characters
_JOINTS = re.compile(r"[\s_\-]+")


def fold(text: str) -> str:
    """One form for width, case, and the joints between words."""
    return _fold_short(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    return _JOINTS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


_fold_short = lru_cache(4_096)(_fold)  # names and predicates, again and again


def subject_of(text: str) -> str:
    """One name for a subject; the owner has several in either language."""
    folded = fold(text)
    return "user" if folded in _OWNER else _KIN.get(folded, folded)


def predicate_of(text: str) -> str:
    """One name for a predicate; the common ones have the same name in either language."""
    folded = fold(text)
    return _ALIASES.get(folded, folded)


def slot_of(subject: str, predicate: str) -> str:
    """The key of a slot; empty when the statement has no subject or no predicate."""
    about, what = subject_of(subject), predicate_of(predicate)
    return f"{about}{SEPARATOR}{what}" if about and what else ""


def has_one_answer(predicate: str) -> bool:
    """Whether there is one answer at a time, so that another contradicts it.

    Of what is not known to be so there may be several: children, e-mail addresses, a database for
    each environment. Then only a stated change, a correction or an end ends one of them.
    """
    what = predicate_of(predicate)
    return what not in _MANY and (
        what in _ONE or what.endswith(_ONE_ENDINGS) or what.startswith(_ONE_BEGINNINGS)
    )


def value_type(predicate: str) -> str:
    """What a value of the slot has to be: a person, a place, a date …; empty for any words."""
    return _TYPES.get(predicate_of(predicate), "")


def is_common(predicate: str) -> bool:
    """Whether a predicate is one of those that the engine itself knows."""
    what = predicate_of(predicate)
    return what in _SPELLINGS or what in _ONE or what in _MANY


def opposites(predicate: str) -> tuple[str, ...]:
    """Predicates that cannot hold of the same value at the same time."""
    return _OPPOSITES.get(predicate_of(predicate), ())


def _listed(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(","))


_OWNER = _listed("user, the user, i, me, myself, owner, 用户, 使用者, 我, 本人, 主人")

_KIN = {
    name: one
    for one, names in {
        "mother": "mum, mom, mama, mommy, mummy, 妈妈, 妈, 母亲, 老妈, 我妈",
        "father": "dad, papa, daddy, 爸爸, 爸, 父亲, 老爸, 我爸",
        "project": "项目, the project, 工程",
    }.items()
    for name in _listed(names)
}

_SPELLINGS = {
    "likes": "like, loves, love, enjoys, 喜欢, 爱, 喜爱",
    "dislikes": "dislike, hates, hate, 讨厌, 不喜欢",
    "prefers": "prefer, preference, 偏好, 偏爱",
    "uses": "use, 使用, 用, 在用",
    "avoids": "avoid, does not use, 不用, 避免",
    "lives in": "live in, residence, 住在, 居住地, 居住在, 现居",
    "employer": "works at, works for, company, 雇主, 公司, 就职于, 任职于, 工作单位",
    "job": "job title, occupation, profession, 职业, 职位, 职务, 岗位, 工作",
    "name": "full name, is called, is named, 姓名, 名字, 叫",
    "nickname": "called, 昵称, 称呼",
    "age": "年龄",
    "birthday": "birth date, date of birth, 生日, 出生日期",
    "hometown": "born in, 家乡, 老家, 出生地",
    "timezone": "time zone, 时区",
    "email": "email address, 邮箱",
    "phone": "phone number, 电话, 手机号",
    "version": "版本, 版本号",
    "deadline": "due date, 截止日期, 截止时间",
    "native language": "mother tongue, 母语",
    "nationality": "国籍",
    "marital status": "婚姻状况",
    "operating system": "os, 操作系统",
}
_ALIASES = {name: one for one, names in _SPELLINGS.items() for name in _listed(names)}

_ONE_ENDINGS = ("version", "版本", "版本号", "name", "名字", "status", "状态", " age", "年龄")
_ONE_BEGINNINGS = ("favorite ", "favourite ", "最喜欢的")

_ONE = _listed("""
    lives in, employer, job, name, surname, nickname, age, birthday, hometown, from, timezone,
    version, deadline, native language, nationality, marital status, operating system, gender,
    pronouns, location, located in, city, country, role, port, path, wife, husband, spouse, mother,
    father, mom, mum, dad, editor, shell, package manager, browser, height, weight,
    性别, 所在地, 位于, 城市, 国家, 角色, 端口, 路径, 妻子, 丈夫, 母亲, 父亲, 身高, 体重
""")

_TYPES = {
    predicate: type_
    for type_, predicates in {
        "person": "name, surname, wife, husband, spouse, partner, girlfriend, boyfriend, fiance,"
        " mother, father, brother, sister, son, daughter, friend, colleague, boss, cousin, aunt,"
        " uncle, niece, nephew, grandmother, grandfather, doctor, teacher, neighbour, employee,"
        " roommate, manager, client, student, coach, therapist, dentist, landlord",
        "nickname": "nickname",
        "place": "lives in, from, hometown, city, country, location",
        "organization": "employer, school",
        "job": "job",
        "date": "birthday",
        "quantity": "age, height, weight, port",
        "contact": "email, phone, wechat",
        "zone": "timezone",
        "language": "language, native language, speaks",
        "food": "diet",
        "condition": "allergy, allergic to, health",
        "instruction": "rule",
    }.items()
    for predicate in _listed(predicates)
}

# What the common predicates are that may have many answers; the list only says that they are known.
_MANY = _listed("""
    likes, dislikes, prefers, uses, avoids, owns, has, has pet, pet, pets, knows, speaks, language,
    languages, hobby, hobbies, interest, interests, skill, skills, friend, friends, child, children,
    sibling, siblings, son, daughter, brother, sister, colleague, visited, works on, works with,
    member of, allergic to, allergy, diet, wants, plans, rule, must, must not, never, always, email,
    phone, address, database, device, vehicle, medication, health, instrument, habit, schedule,
    studies, school, learning, trip, goal, decision, event,
    拥有, 有, 宠物, 养, 会, 会说, 语言, 掌握, 爱好, 兴趣, 技能, 朋友, 孩子, 兄弟姐妹, 去过, 参与,
    过敏, 饮食, 想要, 计划, 规则, 必须, 不要, 禁止, 邮箱, 电话, 地址, 数据库, 药, 习惯, 日程
""")

_OPPOSITES: dict[str, tuple[str, ...]] = {
    "likes": ("dislikes",),
    "prefers": ("dislikes", "avoids"),
    "dislikes": ("likes", "prefers"),
    "uses": ("avoids",),
    "avoids": ("uses", "prefers"),
}

"""Messages with secrets in plain words, and their harmless twins, in two halves.

The hash of a line, as it stands in the file, puts it into ``dev``, which was looked at while the
rules were written, or ``held_out``, of which only rates were computed until the rules were done.
Then: 273 of 287 found and 2 of 285 twins taken. Of the files of vendors and cues 274 of 290 were
found and 3 of 245 twins taken when they were first scored; what that showed was then mended. The
files of what shows itself came in parts: .77 (of the half set aside), .54, .68, .68 and .95 were
found when each was first scored, and 10 of 865 twins taken; of 168 made to mislead, 25.
Keys are put together from a seeded generator, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import hashlib
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from tests.rules.secret_samples import ALNUM, B64, BARE, HEX, UPPER, URL, run

Half = Literal["dev", "held_out"]
File = Literal[
    "secrets",
    "harmless",
    "vendor_secrets",
    "vendor_harmless",
    "cue_secrets",
    "cue_harmless",
    "shown_secrets",
    "shown_harmless",
]
HALVES: tuple[Half, Half] = ("dev", "held_out")
COPIES = 4  # of a line that has slots of words; lines with keys only get two
OPEN, CLOSE = "⟦", "⟧"

WORDS = (
    "sunshine bluebird marmalade dragonfly swordfish lighthouse gingerbread hibiscus teapot walrus"
    " snowball cinnamon tangerine nightingale firefly pancake avocado penguin meadow thunder"
).split()
SERVICES = "gmail,Netflix,router,work laptop,github,bank,iCloud,Dropbox,VPN,Jira".split(",")
LISTS: dict[str, list[str]] = {
    "word": WORDS,
    "service": SERVICES,
    "user": ["root", "app", "anna", "reporting"],
    "USER": ["DB", "SMTP", "REDIS", "ADMIN"],
    "thing": ["front door", "garage", "alarm", "gym locker", "gate", "lockbox"],
    "服务": ["邮箱", "微信", "支付宝", "路由器", "公司 VPN", "网盘", "淘宝", "Steam"],
    "门": ["家门", "办公室门", "车库", "保险柜", "手机锁屏", "门禁"],
    "拼音": ["woaini", "xiaomao", "tiantian", "baobao", "wangcai", "kuaile", "longmao", "sunshine"],
    "中文口令": ["芝麻开门", "春眠不觉晓", "红烧狮子头", "白日依山尽", "八仙过海", "大吉大利"],
    "zh_word": list("山水火木土金日月星辰天地风雨雷云花草树石鸟鱼虫马牛羊龙虎"),
    "mnemonic": (
        "abandon ability absorb acoustic admit advice airport alarm album amazing anchor angle"
        " apple arctic arena armor artist asset autumn bamboo banner barrel beach blanket bounce"
        " bracket breeze bridge cactus camera canyon carbon castle cattle cereal chalk cherry"
        " cinnamon clever cluster coconut comfort copper coral cousin cradle crystal cushion dawn"
        " decade desert dinosaur dolphin dragon eagle elbow ember engine fabric falcon feather"
        " fiction forest fossil galaxy garlic gesture ginger glimpse gospel grape hammer harvest"
        " helmet hobby humble island jacket jungle kangaroo kitchen ladder lemon lizard lunar"
        " magnet marble meadow mimic mosquito muffin mushroom nephew noodle nuclear oblige oxygen"
        " palace pelican pepper piano planet plunge potato puzzle quantum rabbit ribbon ritual"
        " saddle salmon satoshi scorpion shadow silver spider sponge tattoo thunder tobacco tunnel"
        " umbrella vacuum velvet violin walnut weasel wisdom yellow zebra"
    ).split(),
}
# The parts of a value that say what it is and open nothing.
_OPENED = re.compile(r"-----BEGIN [A-Z ]+-----|https://[a-z.]+/services/")
_CLOSED = re.compile(r"-----END [A-Z ]+-----$")


@dataclass(frozen=True, slots=True)
class Message:
    """A message; ``secrets`` are the places of what must not be left in it."""

    category: str
    text: str
    secrets: tuple[tuple[int, int], ...] = ()


@cache
def messages(file: File, half: Half) -> tuple[Message, ...]:
    """The messages of one half of a file."""
    found, category = [], ""
    lines = (Path(__file__).parent / f"{file}.txt").read_text(encoding="utf-8").split("\n")
    for line in lines:
        if not line or line.startswith("#"):
            continue
        if re.fullmatch(r"\[[a-z ]+\]", line):
            category = line[1:-1]
        elif _half(line) == half:
            found += [_message(category, text) for text in _written_out(line)]
    return tuple(found)


def _half(line: str) -> Half:
    return HALVES[hashlib.sha256(line.encode()).digest()[0] & 1]


def _written_out(line: str) -> Iterator[str]:
    slots = re.findall("<<(.+?)>>", line)
    copies = 1 if not slots else COPIES if any(slot in LISTS for slot in slots) else 2
    for number in range(copies):
        rng = random.Random(f"{line} {number}")
        text = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), line)
        text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
        yield re.sub("<<(.+?)>>", lambda m, rng=rng: fill(m[1], rng), text)  # type: ignore[misc]


def _message(category: str, text: str) -> Message:
    parts = re.split(f"[{OPEN}{CLOSE}]", text)
    places, at = [], 0
    for number, part in enumerate(parts):
        if number % 2:
            before, after = _OPENED.match(part), _CLOSED.search(part)
            places.append(
                (at + (before.end() if before else 0), at + (after.start() if after else len(part)))
            )
        at += len(part)
    return Message(category, "".join(parts), tuple(places))


def fill(slot: str, rng: random.Random) -> str:
    """A value for a slot; after ``|`` stands how it is disguised."""
    name, _, shape = slot.partition("|")
    value = _value(name, rng)
    return SHAPES[shape](value) if shape else value


def _value(name: str, rng: random.Random) -> str:
    if name in LISTS:
        return rng.choice(LISTS[name])
    if name in BARE:
        return BARE[name](rng)
    if name.startswith("mnemonic"):
        return _mnemonic(name.removeprefix("mnemonic"), rng)
    if match := re.fullmatch(r"([a-zA-Z]+|b64x|b58x|b32x|b32low)(\d+)", name):
        return run(rng, ALPHABETS[match[1]], int(match[2]))
    return MAKERS[name](rng)


def _mnemonic(kind: str, rng: random.Random) -> str:
    if kind == "zh":
        return " ".join(rng.sample(LISTS["zh_word"], 12))
    words = rng.sample(LISTS["mnemonic"], int(kind) if kind.isdigit() else 12)
    if kind == "num":
        return " ".join(f"{number}. {word}" for number, word in enumerate(words, 1))
    return ("\n" if kind == "lines" else " ").join(words)


def luhn(digits: str) -> str:
    """The digits with their check digit."""
    total = sum(
        sum(divmod(int(d) * (2 if place % 2 == 0 else 1), 10))
        for place, d in enumerate(reversed(digits))
    )
    return digits + str(-total % 10)


def identity_card(rng: random.Random) -> str:
    body = f"{rng.choice(('110105', '310101', '440305'))}19{rng.randint(60, 99)}"
    body += f"{rng.randint(1, 12):02}{rng.randint(1, 28):02}{rng.randint(0, 999):03}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11]


def iban(rng: random.Random) -> str:
    account = run(rng, string.digits, 18)
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


def _basic(rng: random.Random) -> str:
    return base64.b64encode(f"bob:{rng.choice(WORDS)}{rng.choice(WORDS)}".encode()).decode()


ALPHABETS = {
    "hex": HEX,
    "HEX": HEX.upper(),
    "lower": string.ascii_lowercase,
    "upper": UPPER,
    "digits": string.digits,
    "alnum": ALNUM,
    "url": URL,
    "b64x": B64,
    "b58x": "".join(sorted(set(ALNUM) - set("0OIl"))),
    "b32x": string.ascii_uppercase + "234567",
    "b32low": string.ascii_lowercase + "234567",
}
MAKERS: dict[str, Callable[[random.Random], str]] = {
    "pin": lambda rng: run(rng, string.digits, rng.choice((4, 4, 5, 6))),
    "otp": lambda rng: run(rng, string.digits, rng.choice((4, 6, 6, 6))),
    "card": lambda rng: luhn(
        rng.choice(("4", "51", "55", "2221")).ljust(8, "7") + run(rng, string.digits, 7)
    ),
    "amex": lambda rng: luhn("37" + run(rng, string.digits, 12)),
    "unionpay": lambda rng: luhn("622202" + run(rng, string.digits, 12)),
    "idcard": identity_card,
    "iban": iban,
    "passport": lambda rng: rng.choice(("E", "G", "EJ")) + run(rng, string.digits, 8),
    "basic": _basic,
    "uuid": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "b64word": lambda rng: base64.b64encode(
        (rng.choice(WORDS) + rng.choice(WORDS)).encode()
    ).decode(),
}


def _every(value: str, size: int, joint: str) -> str:
    return joint.join(value[at : at + size] for at in range(0, len(value), size))


SHAPES: dict[str, Callable[[str], str]] = {
    "spaced": " ".join,
    "hyphens": "-".join,
    "hyphens4": lambda value: _every(value, 4, "-"),
    "groups": lambda value: _every(value, 4, " "),
    "lines": lambda value: f"{value[: len(value) // 2]}\n{value[len(value) // 2 :]}",
    "zerowidth": lambda value: _every(value, 5, "\u200b"),
    "fullwidth": lambda value: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value
    ),
}

"""Keys in the formats of real services, with random values, and harmless values that look alike.

No key stands here: each is put together from its prefix and a seeded generator.
"""

from __future__ import annotations

import base64
import json
import random
import string
import tomllib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL = ALNUM + "-_"
B64 = ALNUM + "+/"
SIGNS = "!@#$%^*-_+="

Make = Callable[[random.Random], str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A text; ``secret`` is what must not be left in it, empty for a harmless one."""

    text: str
    format: str
    secret: str = ""


def run(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choices(alphabet, k=length))


def tail(prefix: str, alphabet: str, length: int, end: str = "") -> Make:
    return lambda rng: prefix + run(rng, alphabet, length) + end


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    return f"{head}.{part({'sub': run(rng, string.digits, 9)})}.{run(rng, URL, 43)}"


def _pem(kind: str) -> Make:
    def make(rng: random.Random) -> str:
        lines = "\n".join(run(rng, B64, 64) for _ in range(4))
        return f"-----BEGIN {kind}-----\n{lines}\n{run(rng, B64, 20)}==\n-----END {kind}-----"

    return make


def _escaped_pem(rng: random.Random) -> str:
    return _pem("PRIVATE" + " KEY")(rng).replace("\n", "\\n")


def _discord(rng: random.Random) -> str:
    user = base64.b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{user}.{run(rng, URL, 6)}.{run(rng, URL, 38)}"


def _password(rng: random.Random) -> str:
    """As a password manager makes them, or as people do: a word with digits and a sign."""
    if rng.random() < 0.5:
        length = rng.randint(9, 18)
        made = run(rng, ALNUM + SIGNS, length - 3) + rng.choice(string.digits)
        return rng.choice(string.ascii_letters) + made + rng.choice(string.ascii_letters)
    word = rng.choice(("sunny", "Tiger", "Shanghai", "coffee", "wangwei", "Berlin", "longmao"))
    return f"{word}{rng.choice('@#_!') if rng.random() < 0.5 else ''}{rng.randint(10, 99999)}"


BARE: dict[str, Make] = {
    "aws": tail("AK" + "IA", UPPER, 16),
    "aws temporary": tail("AS" + "IA", UPPER, 16),
    "google api": tail("AI" + "za", URL, 35),
    "google oauth": tail("GOC" + "SPX-", URL, 28),
    "gcp service account": _escaped_pem,
    "azure client": lambda rng: run(rng, ALNUM, 3) + "8" + "Q~" + run(rng, ALNUM + "_-", 34),
    "aliyun": tail("LT" + "AI5t", ALNUM, 18),
    "tencent": tail("AK" + "ID", ALNUM, 32),
    "volcengine": tail("AK" + "LT", ALNUM, 42),
    "baidu": tail("AL" + "TAK-", ALNUM, 21),
    "qianfan": lambda rng: f"bce-v3/AL{'TAK'}-{run(rng, ALNUM, 21)}/{run(rng, HEX, 40)}",
    "dashscope": tail("s" + "k-", HEX, 32),
    "deepseek": tail("s" + "k-", HEX, 32),
    "openai": tail("s" + "k-proj-", URL, 120),
    "openai old": tail("s" + "k-", ALNUM, 48),
    "anthropic": tail("s" + "k-ant-api03-", URL, 93, "AA"),
    "zhipu": lambda rng: run(rng, HEX, 32) + "." + run(rng, ALNUM, 16),
    "huggingface": tail("h" + "f_", string.ascii_letters, 34),
    "github": tail("gh" + "p_", ALNUM, 36),
    "github app": tail("gh" + "s_", ALNUM, 36),
    "github fine": lambda rng: f"github{'_pat_'}{run(rng, ALNUM, 22)}_{run(rng, ALNUM, 59)}",
    "gitlab": tail("gl" + "pat-", URL, 20),
    "slack bot": lambda rng: f"xox{'b-'}{run(rng, string.digits, 12)}-{run(rng, ALNUM, 24)}",
    "slack user": lambda rng: f"xox{'p-'}{run(rng, string.digits, 12)}-{run(rng, HEX, 32)}",
    "stripe": tail("sk" + "_live_", ALNUM, 24),
    "stripe restricted": tail("rk" + "_live_", ALNUM, 24),
    "sendgrid": lambda rng: f"S{'G.'}{run(rng, URL, 22)}.{run(rng, URL, 43)}",
    "twilio": tail("S" + "K", HEX, 32),
    "npm": tail("np" + "m_", ALNUM, 36),
    "pypi": tail("py" + "pi-AgEIcHlwaS5vcmc", URL, 120),
    "telegram": lambda rng: f"{run(rng, '123456789', 10)}:A{'A'}{run(rng, URL, 32)}x",
    "discord": _discord,
    "jwt": _jwt,
    "pem rsa": _pem("RSA " + "PRIVATE KEY"),
    "pem openssh": _pem("OPENSSH " + "PRIVATE KEY"),
    "dingtalk webhook": lambda rng: (
        f"https://oapi.dingtalk.com/robot/send?access_token={run(rng, HEX, 64)}"
    ),
    "dingtalk sign": tail("SE" + "C", HEX, 64),
    "feishu webhook": lambda rng: (
        f"https://open.feishu.cn/open-apis/bot/v2/hook/{_uuid(rng)}"
    ),
    "wecom webhook": lambda rng: (
        f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={_uuid(rng)}"
    ),
    "slack webhook": lambda rng: (
        f"https://hooks.slack.com/services/T{run(rng, UPPER, 8)}/B{run(rng, UPPER, 10)}"
        f"/{run(rng, ALNUM, 24)}"
    ),
    "database url": lambda rng: f"postgresql://app:{run(rng, ALNUM, 14)}@db1.internal:5432/app",
    "redis url": lambda rng: f"redis://:{run(rng, ALNUM, 12)}@cache:6379/0",
    "basic auth url": lambda rng: f"https://bob:{run(rng, ALNUM, 10)}@git.internal/a/b.git",
    "azure storage": lambda rng: (
        f"DefaultEndpointsProtocol=https;AccountName=app;AccountKey={run(rng, B64, 86)}=="
    ),
}  # fmt: skip
KEYS: dict[str, Make] = {
    "aws secret": tail("", B64, 40),
    "aliyun secret": tail("", ALNUM, 30),
    "tencent secret": tail("", ALNUM, 32),
    "huawei secret": tail("", ALNUM, 40),
    "baidu secret": tail("", HEX, 32),
    "volcengine secret": lambda rng: base64.b64encode(run(rng, HEX, 44).encode()).decode(),
    "wechat secret": tail("", HEX, 32),
    "wecom secret": tail("", URL, 43),
    "random key": tail("", ALNUM, 24),
    "hex key": tail("", HEX, 64),
}
HARMLESS: dict[str, Make] = {
    "uuid": _uuid,
    "git sha": tail("", HEX, 40),
    "short sha": tail("", HEX, 8),
    "sha256": tail("", HEX, 64),
    "md5": tail("", HEX, 32),
    "lock hash": lambda rng: "sha512-" + run(rng, B64, 86) + "==",
    "order number": lambda rng: f"2026{run(rng, string.digits, 14)}",
    "parcel": tail("SF", string.digits, 13),
    "image": lambda rng: "data:image/png;base64,iVBORw0KGgo" + run(rng, B64, 160),
    "version": lambda rng: f"v{rng.randint(0, 9)}.{rng.randint(0, 40)}.{rng.randint(0, 99)}-rc1",
    "object id": tail("", HEX, 24),
    "phone": tail("138", string.digits, 8),
    "identity card": tail("11010519900307", string.digits, 4),
    "placeholder": lambda rng: rng.choice(("sk-" + "x" * 32, "AKIAIOSFODNN7" + "EXAMPLE")),
    "file": lambda rng: f"report_{run(rng, string.digits, 8)}_final_v2.xlsx",
    "class name": lambda rng: f"sk-fading-circle-{rng.randint(10, 99)}-animation-container",
}
_URL_SECRETS = {
    "dingtalk webhook": "access_token=",
    "feishu webhook": "hook/",
    "wecom webhook": "key=",
    "slack webhook": "services/",
    "azure storage": "AccountKey=",
}


@cache
def frames(part: str) -> dict[str, list[str]]:
    file = Path(__file__).parent / "secret_frames.toml"
    found: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))[part]
    return found


def secret_samples(part: str, seed: int, count: int = 200) -> list[Sample]:
    """Every format in turn, each time in another frame."""
    rng = random.Random(f"{part} {seed}")
    makers = [
        *(("bare", name, make) for name, make in BARE.items()),
        *(("key", name, make) for name, make in KEYS.items()),
        *(("password", "password", _password) for _ in range(12)),
    ]
    samples = []
    for number in range(count):
        frame, name, make = makers[number % len(makers)]
        made = make(rng)
        text = rng.choice(frames(part)[frame]).replace("{{", "{").replace("}}", "}")
        samples.append(Sample(text.replace("{}", made), name, _secret(name, made)))
    return samples


def _secret(name: str, made: str) -> str:
    """The part of a made value that opens something."""
    if name in _URL_SECRETS:
        return made.split(_URL_SECRETS[name])[1]
    if name.endswith(" url"):
        return made.split("://")[1].partition("@")[0].split(":")[1]
    if "PRIVATE" in made:
        return made.replace("\\n", "\n").split("\n")[2]
    return made


def harmless_samples(part: str, seed: int, count: int = 200) -> list[Sample]:
    """Sentences about secrets, and values that are none."""
    rng = random.Random(f"{part} harmless {seed}")
    samples = [Sample(sentence, "sentence") for sentence in frames(part)["sentences"]]
    while len(samples) < count:
        name = list(HARMLESS)[len(samples) % len(HARMLESS)]
        text = rng.choice(frames(part)["harmless"]).replace("{{", "{").replace("}}", "}")
        samples.append(Sample(text.replace("{}", HARMLESS[name](rng)), name))
    return samples

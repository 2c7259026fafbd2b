"""Search strings nobody should write: query syntax, injections, broken text, all mixed."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

import mnemic
from mnemic import InvalidInput, MnemicError
from mnemic.types import RECORD_TYPES
from tests.torture.homes import Homes, StoreName
from tests.torture.outcome import Outcome

CANARY = "the canary sings 金丝雀 at dawn"
_LONGEST = 100_000
_PIECES = r"""
" "" ' ` NEAR( NEAR(a b,2) AND OR NOT ^ * : - + ( ) { } [ ] , ; . / \ % _ ? ! @ # $ & | ~ < >
terms: rowid: text_index: {terms}: -terms: a* ^a a^ *a (a (a) a) a: :a a:b 'a' "a "a"" a-b
'; DROP TABLE turns; -- ' OR 1=1 -- ") OR terms MATCH (" UNION SELECT name FROM sqlite_schema
?1 :space @x $y %s {0} \x00 ../../etc/passwd <script> Python 数据库 用户喜欢 深色模式。 「引号」
canary sings 金丝雀 the 的 了 吗 3.12 v1.2.3 C++ foo_bar FooBar e-mail@host.cn http://a/b?c=d
""".split()
_ODD = (
    *"\x00 \x01 \x1b[31m \x7f \u200b \u200d \ufeff \u202e \u0301 a\u0301\u0302\u0303".split(" "),
    *"👩\u200d👩\u200d👧\u200d👦 🇨🇳 🏽 𠀀 \U000e0001 \U0010ffff \ue000".split(" "),
    *"שלום مرحبا हिन्दी ไทย 한국어".split(" "),
    *"ﬁ Ⅷ ① ㍿ ＡＢＣ ß İ ı ſ".split(" "),
    *("\t", "\n", "\r", "\u2028", "\u3000", "e" + "\u0301" * 300),
)
_HALF = ("\ud800", "\udfff")


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """How the queries were answered."""

    queries: int
    answered: int
    refused: int
    slowest: float
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, queries: int, store: StoreName = "sqlite", seed: int = 1) -> Report:
    """Ask ``queries`` hostile questions; only what cannot be text may be refused."""
    rng = random.Random(seed)
    answered = refused = 0
    slowest = 0.0
    errors: list[str] = []
    losses: list[str] = []
    with Homes(folder, store).new("asked").open() as mind:
        _fill(mind, rng)
        for number in range(queries):
            query = _query(rng)
            impossible = any("\ud800" <= char <= "\udfff" for char in query)
            impossible |= len(query) > _LONGEST
            begun = time.monotonic()
            try:
                _ask(mind, query, rng)
                answered += 1
                if impossible:
                    errors.append(f"{number}: answered what is no text: {query[:60]!r}")
            except InvalidInput as error:
                refused += 1
                if not impossible:
                    errors.append(f"{number}: {error}: {query[:60]!r}")
            except (MnemicError, ValueError, TypeError, LookupError, RuntimeError) as error:
                errors.append(f"{number}: {type(error).__name__}: {error}: {query[:60]!r}")
            slowest = max(slowest, time.monotonic() - begun)
            if number % 1000 == 999:
                losses += _canary(mind)
        losses += _canary(mind)
        losses += [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok]
    return Report(queries, answered, refused, slowest, tuple(losses), tuple(errors))


def _fill(mind: mnemic.Mind, rng: random.Random) -> None:
    mind.record(session="birds", role="user", text=CANARY)
    for number in range(60):
        content = " ".join(rng.choices([*_PIECES, *_ODD], k=rng.randrange(1, 40)))
        mind.record(session=f"s{number % 5}", role="user", text=content)
    mind.remember(f"A fact about {CANARY}", kind="fact")
    mind.attach("notes/birds.md", description=CANARY)


def _query(rng: random.Random) -> str:
    dice = rng.random()
    if dice < 0.002:
        return rng.choice(_PIECES) * rng.choice((200, 30_000, _LONGEST))
    if dice < 0.02:
        return "".join(chr(rng.randrange(0xD800)) for _ in range(rng.randrange(60)))
    if dice < 0.04:
        return (
            rng.choice(("", " ", "\u3000\u3000", "。，！？", "---", '"""', "((((", "\x00\x00")) * 3
        )
    if dice < 0.05:
        return rng.choice(_PIECES) + rng.choice(_HALF) + rng.choice(_PIECES)
    if dice < 0.06:
        return "".join(rng.choices("abcxyz", k=rng.choice((100, 1000, 5000))))
    parts = rng.choices([*_PIECES, *_ODD], k=rng.randrange(1, 12))
    return rng.choice(("", " ", " ", "\n")).join(parts)


def _ask(mind: mnemic.Mind, query: str, rng: random.Random) -> None:
    moments = (None, None, "2020-01-01", "2099-12-31T23:59:59+08:00")
    mind.recall(
        query,
        limit=rng.choice((1, 10, 1000)),
        of=rng.sample(RECORD_TYPES, rng.randint(1, len(RECORD_TYPES))),
        session=rng.choice((None, None, "s1", "'; --", "")),
        project=rng.choice((None, None, "_global", '"')),
        since=rng.choice(moments),
        until=rng.choice(moments),
        as_of=rng.choice(moments),
    )


def _canary(mind: mnemic.Mind) -> list[str]:
    hits = mind.recall("canary 金丝雀", of=("turn",), limit=5)
    return [] if any(hit.text == CANARY for hit in hits) else ["the canary is gone"]

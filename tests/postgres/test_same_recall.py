"""What is found does not depend on where it is stored."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.index.segment import query_terms
from mnemic.moving.copy import copy_space
from mnemic.store.contract import Store
from mnemic.store.rows import Scope
from mnemic.store.sqlite.store import SqliteStore
from mnemic.store.target import open_store
from mnemic.types import NewTurn, constant

pytestmark = pytest.mark.feature("O5")
WORDS = (
    "the a to of garden tea lisbon boat paper winter train doctor music 我 的 在 了 喝茶 火车 北京"
    " 音乐 冬天 医生 喜欢 花园 weather 天气 meeting 会议 budget 预算 sister 姐姐 moved bought ran"
).split()
WITHOUT_VECTORS: dict[str, Any] = {"embedding.provider": "none"}
TALK = 3_200  # more than a memory whose every list is read


def talk(count: int) -> list[NewTurn]:
    rng = random.Random(5)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    return [
        NewTurn(
            f"s{n // 40}",
            "user" if n % 2 == 0 else "assistant",
            " ".join([*rng.choices(WORDS, weights, k=rng.randint(2, 9)), f"word{n // 3}"]),
            index=n % 40,
        )
        for n in range(count)
    ]


def questions(count: int) -> list[str]:
    rng = random.Random(6)
    asked = [" ".join(rng.choices(WORDS, k=rng.randint(1, 5))) for _ in range(count)]
    return [
        *asked,
        "the",
        "我的",
        "word7 lisbon",
        "nothingofthesort",
        "buy boat",
        "the a to of 我 的",
    ]


def test_text_search_is_the_same_to_the_last_digit(tmp_path: Path, url: str) -> None:
    file = tmp_path / "one.db"
    with mnemic.open(file, worker="none", **WITHOUT_VECTORS) as mind:
        mind.record_many(talk(TALK))
        now = mind.turns(limit=1)[0].at
    assert copy_space(file, url).verified
    stores: list[Store] = [
        SqliteStore(str(file), busy_timeout=5, now=lambda: now, read_only=True),
        open_store(url, busy_timeout=5, now=lambda: now, read_only=True),
    ]
    scopes = [Scope(("turn", "memory"), now=now), Scope(("turn",), session=constant("s3"), now=now)]
    for question in questions(24):
        for scope in scopes:
            answers = []
            for store in stores:
                with store.read("default") as unit:
                    found = unit.text.search(query_terms(question), scope, 10)
                    held, count = unit.text.holding(query_terms(question), scope, 5)
                answers.append(
                    (
                        [(match.doc & (1 << 36) - 1, match.score) for match in found.matches],
                        found.absent,
                        [doc & (1 << 36) - 1 for doc in held],
                        count,
                    )
                )
            assert answers[0] == answers[1], question
    for store in stores:
        store.close()

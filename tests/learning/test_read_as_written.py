"""What is learned reads as it was written: names keep their spaces, a clause its topic, and work
that is half done is not called done.
"""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("我三月搬到了里斯本，现在用 Python 3.12", "我用 Python 3.12"),
        ("我爸住在 New York，在 IBM 上班", "我爸在 IBM 上班"),
        ("我叫林晓，住在厦门，用 VS Code 写代码", "我用 VS Code 写代码"),
        ("orchid 用 Rust 写，存储定了用 SQLite", "orchid 存储定了用 SQLite"),
    ],
)
def test_names_keep_their_spaces_and_clauses_their_topic(
    open_mind: OpenMind, said: str, learned: str
) -> None:
    mind = open_mind()
    with mind.session("s") as session:
        session.user(said)
    mind.drain()
    assert learned in {memory.text for memory in mind.memories()}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("对比完成，建议 SQLite；索引部分还没看。", "partial"),
        ("迁移完毕，不过最后两张表还没导。", "partial"),
        ("对比完成，建议 SQLite。", "success"),
    ],
)
def test_what_is_left_is_not_done(open_mind: OpenMind, answer: str, outcome: str) -> None:
    mind = open_mind()
    with mind.session("s") as session:
        session.user("请比较一下这两个数据库")
        session.assistant(answer)
    mind.drain()
    (episode,) = mind.episodes()
    assert episode.outcome == outcome

"""Secrets in plain words through the mind: none is in a file, a context, a recall or a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import ToolCall, ToolResult
from tests.conftest import OpenMind
from tests.rules.secrets_spoken.samples import luhn

pytestmark = pytest.mark.feature("N8")

CARD = luhn("4539" + "14880343646")
# What is said, and what must not be kept of it. Each secret stands nowhere else in the talk.
SAID = [
    ("my email password is marmalade walrus", "marmalade walrus"),
    ("the wifi password at home is zanzibar, please remember it", "zanzibar"),
    ("password: quokka", "quokka"),
    ("I changed my Netflix password to tangerine today", "tangerine"),
    ("我邮箱的密码是猕猴桃汁，记一下", "猕猴桃汁"),
    ("银行卡密码六个八", "六个八"),
    ("家里路由器的口令：xiaolongxia", "xiaolongxia"),
    ("my PIN is 4821", "is 4821"),
    ("The gate code at the new office is 90417", "is 90417"),
    ("门禁密码是7730#", "是7730"),
    ("Your verification code is 661208, do not share it", "is 661208"),
    ("【银行】您的验证码为553190，请勿告诉他人", "为553190"),
    ("Cookie: theme=dark; sessionid=q8Zr2LmX0vTb7KcY1nWd", "q8zr2lmx0vtb7kcy1nwd"),
    ("mysql -u root -phibiscus shop", "hibiscus"),
    ("sshpass -p cinnamon ssh pi@10.0.0.7", "cinnamon"),
    ('{"auths": {"registry.internal": {"auth": "Ym9iOnBvcGNvcm5wb3Bjb3Ju"}}}', "ym9iom"),
    ("psql postgresql://app:gingerbread@db1/app", "gingerbread"),
    ("machine git.internal login bob password nightingale", "nightingale"),
    (
        "my seed phrase is abandon ribbon velvet oxygen lizard magnet cactus planet harvest tunnel"
        " walnut zebra",
        "velvet oxygen",
    ),
    ("密码是ｐｅｎｇｕｉｎ７１", "ｐｅｎｇｕｉｎ"),
    ("my password: p\u200bancake\u200bs", "ancake"),
    ("The answer to my security question is Fluffington.", "fluffington"),
    (f"book it with my Visa {CARD}", CARD),
]
KEPT = "My password manager is Bitwarden and the password policy requires 12 characters."


def leaks(shown: str) -> list[str]:
    return [secret for _, secret in SAID if secret in shown.lower()]


@pytest.mark.sqlite_file("the bytes of all files")
@pytest.mark.parametrize("preset", ["default", "openakita"])
def test_no_secret_in_plain_words_is_kept_anywhere(
    open_mind: OpenMind, tmp_path: Path, preset: str
) -> None:
    mind = open_mind(preset=preset)
    for text, _ in SAID:
        mind.record(session="s", role="user", content=text)
        mind.record(
            session="tools",
            role="assistant",
            content="",
            tool_calls=[ToolCall("note", {"text": text})],
            tool_results=[ToolResult(text)],
        )
        mind.remember(text, kind="fact")
    mind.record(session="s", role="user", content=KEPT)
    mind.end_session("s")
    mind.drain()

    turns = [turn.content for turn in mind.turns(session="s", limit=100)]
    assert KEPT in turns
    assert sum("[secret:" in turn for turn in turns) == len(SAID)
    shown = "\n".join(
        [
            *turns,
            *map(str, mind.turns(session="tools", limit=100)),
            *(str(memory) for memory in mind.memories(limit=200)),
            *(
                str(mind.recall(text))
                for text in ("password", "密码", "code", "wallet seed phrase")
            ),
            str(mind.context("what is my wifi password? 密码是多少", session="s")),
        ]
    )
    assert leaks(shown) == []
    mind.close()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert [
        (file.name, secret)
        for file in files
        for _, secret in SAID
        if secret.encode() in file.read_bytes().lower()
    ] == []


@pytest.mark.setting("secrets.personal_numbers")
def test_personal_numbers_are_a_setting(open_mind: OpenMind) -> None:
    said = f"pay with {CARD}"
    mind = open_mind(secrets={"personal_numbers": []})
    assert mind.record(session="s", role="user", content=said).content == said


def test_an_owner_can_keep_what_is_said(open_mind: OpenMind) -> None:
    mind = open_mind(secrets={"at_write": "keep"})
    for text, _ in SAID:
        assert mind.record(session="s", role="user", content=text).content == text


def test_a_password_in_plain_words_can_be_kept_as_a_credential(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind()
    kept = mind.remember(
        "marmalade walrus", kind="credential", subject="email", predicate="password"
    )
    assert "marmalade" not in str(mind.memories(limit=10))
    assert mind.reveal(kept.id) == "marmalade walrus"
    mind.close()
    assert not any(
        b"marmalade" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()
    )

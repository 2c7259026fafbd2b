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
# By a cue and what links it to a value, or by the format of a vendor.
CUED = [
    ("the sonos login is kiran / driftwood9", "driftwood9"),
    ("creds are pia@corp.example foxhollow", "foxhollow"),
    ("the pass is meadowlark", "meadowlark"),
    ("the tablet password is amber teacup btw", "amber teacup"),
    ("disk passphrase is willow saddle orbit candle", "saddle orbit"),
    ("security question (first street): Juniperweg", "juniperweg"),
    ("please rotate the key api_key: Zt7Qm2Lx9Vb4Kc1Wd8Rn5Hs3", "zt7qm2lx9vb4"),
    ("相册密码是我们一起看过海", "一起看过海"),
    ("后台登录：caiwu / shuangpinai8", "shuangpinai8"),
    ("邮箱密码是 chenxiaoling", "chenxiaoling"),
    ("备用验证码：4471 9923、5518 0264", "9923"),
    ("hook https://discord.com/api/webhooks/112233445566778899/" + "aZ3-kQ9_" * 8, "az3-kq9_"),
    ("square sq0" + "atp-" + "Lw8vNq2XcT5rYb7KdJ4mGh", "lw8vnq2xct5r"),
    ("jo:$apr1" + "$Kx8vQ2Lm$" + "Zt7Qm2Lx9Vb4Kc1Wd8Rn5.", "zt7qm2lx9vb4kc1"),
    ("2FA setup key: KZXW 6YTB OI5G 2ZLM", "6ytb oi5g"),
    (
        "AKIA" + "QWERTZUIOPASDF23" + " / " + "kJ8vQ2LmZt7Qm2Lx9Vb4Kc1Wd8Rn5HsP0aBcDeF+",
        "kj8vq2lmzt7q",
    ),
]
HARMLESS = [
    "The mountain pass is icy in March.",
    "My login is slow / laggy since Monday.",
    "creds are with the office manager",
    "The password is whatever the wizard suggests.",
    "密码就别再改了，太麻烦",
    "登录方式：扫码 / 短信",
    "The key is to let the paint dry.",
]
# Told in passing: words come between the cue and the value, or the value comes first.
TOLD = [
    ("I always forget my Hulu password, it's Gecko_77 I think", "gecko_77"),
    ("my PIN, 6174, is on the back of the photo", "6174"),
    ("They changed the back gate code to 3392# last week", "3392"),
    ("to get into the shed you punch in 80553, that's the door code", "80553"),
    ("lilac5550 is the password for the streaming box", "lilac5550"),
    ("the backup codes are 7741 2093 and 6618 0042", "6618"),
    ('We use "plum orchard" as the alarm password', "plum orchard"),
    ("our wifi is turnip_8864, tell the guests", "turnip_8864"),
    ("my secret answer, Quillfeather, never changes", "quillfeather"),
    ("The bike lock is set to 5093, don't lose it", "5093"),
    ("微博密码一直没换，还是bocai7788", "bocai7788"),
    ("单元门禁按4471#就能进", "4471"),
    ("tudou9090是我的邮箱密码", "tudou9090"),
    ("车库门的密码你输6183就行", "6183"),
    ("备用码有两个：5520 1187和9034 2216", "9034"),
    ("平板的锁屏密码，8264，孩子也知道", "8264"),
    ("保险柜先左再右，转到27-08-63", "27-08-63"),
    ("取款密码是她生日470915", "470915"),
    ("那台主机输3071，这是密码", "3071"),
]
NOT_TOLD = [
    "The door code never works when it is cold, I tried 3 times.",
    "The error code is 4521 and the exit code was 137.",
    "Use the discount code AUTUMN25 at checkout.",
    "My passwords are old, the oldest is from 2011.",
    "The combination of 500 mg and rest helped.",
    "Our wifi is 300 Mbps in the office, 50 at home.",
    "I keep the PIN in my head, page 114 of the manual says so.",
    "密码输错3次，要等15分钟。",
    "大门是2018年换的，花了5000块。",
    "验证码发到139开头的手机了。",
    "门锁是去年买的，型号K20。",
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
        mind.record(session="s", role="user", text=text)
        mind.record(
            session="tools",
            role="assistant",
            text="",
            tool_calls=[ToolCall("note", {"text": text})],
            tool_results=[ToolResult(text)],
        )
        mind.remember(text, kind="fact")
    mind.record(session="s", role="user", text=KEPT)
    mind.end_session("s")
    mind.drain()

    turns = [turn.text for turn in mind.turns(session="s", limit=100)]
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
    assert mind.record(session="s", role="user", text=said).text == said


def test_an_owner_can_keep_what_is_said(open_mind: OpenMind) -> None:
    mind = open_mind(secrets={"at_write": "keep"})
    for text, _ in SAID:
        assert mind.record(session="s", role="user", text=text).text == text


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


@pytest.mark.parametrize(("text", "secret"), CUED)
def test_a_secret_after_a_cue_or_in_a_vendor_s_format_is_not_recorded(
    open_mind: OpenMind, text: str, secret: str
) -> None:
    turn = open_mind().record(session="s", role="user", text=text)
    assert secret in text.lower()
    assert secret not in turn.text.lower()


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_secrets_is_recorded_as_it_is(open_mind: OpenMind, text: str) -> None:
    assert open_mind().record(session="s", role="user", text=text).text == text


def test_a_secret_told_in_passing_is_not_recorded(open_mind: OpenMind) -> None:
    mind = open_mind()
    turns = [(mind.record(session="s", role="user", text=text), secret) for text, secret in TOLD]
    assert [turn.text for turn, secret in turns if secret in turn.text.lower()] == []


def test_numbers_near_a_word_for_secrets_are_recorded_as_they_are(open_mind: OpenMind) -> None:
    mind = open_mind()
    assert [mind.record(session="s", role="user", text=text).text for text in NOT_TOLD] == NOT_TOLD


@pytest.mark.setting("secrets.personal_numbers")
def test_numbers_of_documents_are_taken_out_where_the_owner_wants_it(open_mind: OpenMind) -> None:
    said = ["my social is 219-09-9917", "港澳通行证号是C40917725，下月到期"]
    mind = open_mind()
    assert [mind.record(session="s", role="user", text=text).text for text in said] == said
    mind = open_mind(secrets={"personal_numbers": ["identity_card", "passport"]})
    turns = [mind.record(session="t", role="user", text=text).text for text in said]
    assert turns == [
        "my social is [secret:identity_card]",
        "港澳通行证号是[secret:passport_number]，下月到期",
    ]

"""Secrets in plain words, codes, cookies, seed phrases, commands and disguised keys are found, and
messages that only look alike stay as they are.
"""

from __future__ import annotations

import random

import pytest

from mnemic.language.secrets.finder import find_secrets, redact
from mnemic.language.secrets.pieces import LONG_TEXT
from mnemic.language.secrets.randomness import Bounds
from tests.rules.secrets_spoken.measure import EVERY, is_found, is_taken
from tests.rules.secrets_spoken.samples import (
    HALVES,
    File,
    Half,
    identity_card,
    luhn,
    messages,
)
from tests.timing import takes_less_than

pytestmark = pytest.mark.feature("N8")


# How many messages a half has at least, and the share that may be missed or taken.
FOUND: dict[File, tuple[int, float]] = {
    "secrets": (150, 0.1),
    "vendor_secrets": (90, 0.05),
    "cue_secrets": (90, 0.05),
    "shown_secrets": (300, 1 / 8),
}
LEFT: dict[File, tuple[int, float]] = {
    "harmless": (150, 0.02),
    "vendor_harmless": (70, 0.01),
    "cue_harmless": (70, 0.01),
    "shown_harmless": (400, 0.01),
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("file", FOUND)
def test_nearly_all_secrets_are_found(half: Half, file: File) -> None:
    told, (fewest, share) = messages(file, half), FOUND[file]
    missed = [message.text for message in told if not is_found(message)]
    assert len(told) >= fewest
    assert len(missed) <= len(told) * share, missed


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("file", LEFT)
def test_hardly_any_twin_of_a_secret_is_taken(half: Half, file: File) -> None:
    told, (fewest, share) = messages(file, half), LEFT[file]
    taken = [message.text for message in told if is_taken(message)]
    assert len(told) >= fewest
    assert len(taken) <= len(told) * share, taken


def test_nothing_changes_when_a_text_is_redacted_again() -> None:
    for half in HALVES:
        for message in messages("secrets", half):
            once = redact(message.text, EVERY)
            assert redact(once, EVERY) == once


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("the wifi password is sunshine, ok?", "the wifi password is [secret:password], ok?"),
        ("银行卡密码六个八，别忘了", "银行卡密码[secret:password]，别忘了"),
        ("the gate code is 4471 now", "the gate code is [secret:code] now"),
        ("mysql -uroot -psunshine shop", "mysql -uroot -p[secret:password] shop"),
        ("密码是ｓｕｎｎｙ４７１１。", "密码是[secret:password]。"),
        ("the password is h u n t e r 2 ok", "the password is [secret:password] ok"),
        (
            "tok\u200ben: pass\u200bword: let\u200bmein",
            "tok\u200ben: pass\u200bword: [secret:password]",
        ),
    ],
)
def test_only_the_secret_goes(text: str, clean: str) -> None:
    assert redact(text) == clean


class TestPersonalNumbers:
    CARD = luhn("4539" + "14880343646"[:11])
    IDENTITY = identity_card(random.Random(4))

    def test_cards_go_by_default_and_other_numbers_stay(self) -> None:
        assert redact(f"pay with {self.CARD}") == "pay with [secret:card_number]"
        assert redact(f"身份证号 {self.IDENTITY}") == f"身份证号 {self.IDENTITY}"

    def test_each_kind_is_a_setting(self) -> None:
        text = f"card {self.CARD}, 身份证 {self.IDENTITY}"
        assert redact(text, Bounds(personal_numbers=())) == text
        assert redact(text, Bounds(personal_numbers=("identity_card",))) == (
            f"card {self.CARD}, 身份证 [secret:identity_card]"
        )

    def test_a_number_without_its_checksum_stays(self) -> None:
        wrong = self.CARD[:-1] + str((int(self.CARD[-1]) + 1) % 10)
        assert redact(f"pay with {wrong}", EVERY) == f"pay with {wrong}"


def test_a_secret_in_a_long_text_is_found_wherever_it_stands() -> None:
    key = "gh" + "p_" + "".join(random.Random(5).choices("abcdefgHIJKLM0123456789", k=36))
    filler = "We talked about the budget of the garden and about the weather. " * 400
    for place in (0, LONG_TEXT // 2, 8_180, 8_192, 16_380, len(filler)):
        text = f"{filler[:place]} token {key} and password: letmein\n{filler[place:]}"
        clean = redact(text)
        assert key not in clean
        assert "letmein" not in clean
        assert len(find_secrets(text)) == 2
    lines = "\n".join("".join(random.Random(n).choices("abcXYZ0123+/", k=64)) for n in range(400))
    head = "-----BEGIN " + "RSA PRIVATE KEY-----"
    clean = redact(f"{filler}{head}\n{lines}\n-----END RSA PRIVATE KEY-----\n{filler}")
    assert not any(line in clean for line in lines.split("\n"))


REPEATED = [
    "4",
    " ",
    '"',
    "'a' ",
    "a ",
    "a-",
    "\u200b",
    "ｗ",
    "密码是",
    "密码是芝麻开门",
    "口令",
    "验证码是1",
    "password is ",
    "password for a ",
    "pwd x ",
    "the door code at ",
    "pin 4821 ",
    "mysql -p",
    "curl -u a",
    "cookie: a=",
    "seed apple banana ",
    "1. apple\n",
    "DE12 ",
    "4111 ",
    "sshpass -p",
    "助记词山 ",
    "security question answer is ",
    "ghp_ ab12 cd34 ",
    "AKIA1234\nAB12CD34\n",
    "access_token=",
    "door 4821, ",
    "left 1 ",
    "user bob1 / ",
    "wifi network ",
    "Tr0ub!",
    "a1b2-",
    'pass "a b',
    "门禁1234，",
    "密保 小",
    "one two ",
]


@pytest.mark.parametrize("unit", REPEATED)
def test_a_million_characters_of_one_thing_take_no_second(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert takes_less_than(1.5, lambda: find_secrets(text, EVERY))

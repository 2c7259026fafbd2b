"""Secrets are found in what people, code and tools write; their harmless twins are left alone."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.secrets.cues import CUES
from mnemic.language.secrets.finder import find_secrets, redact, redact_json
from mnemic.language.secrets.formats import CODES, KEYS, SYNTAX, load_formats
from mnemic.language.secrets.randomness import Bounds
from tests.rules.secret_samples import (
    ALNUM,
    BARE,
    HEX,
    URL,
    harmless_samples,
    run,
    secret_samples,
)
from tests.timing import takes_less_than

pytestmark = pytest.mark.feature("N8")

FORMATS = [form for files in (KEYS, SYNTAX, CODES) for form in load_formats(*files)]
LITERALS = sorted({word for form in FORMATS for word in form.keywords})
CUE_WORDS = sorted({word for form in load_formats(*CUES) for word in form.keywords})
DRAWS = [("first", 1), ("held_out", 2)]
RNG = random.Random(7)
KEY = run(RNG, ALNUM, 32)
GITHUB = "gh" + "p_" + run(RNG, ALNUM, 36)


@pytest.mark.parametrize(("part", "seed"), DRAWS)
def test_of_two_hundred_secrets_99_in_100_are_found(part: str, seed: int) -> None:
    samples = secret_samples(part, seed)
    missed = [s.text for s in samples if s.secret in redact(s.text)]
    assert len(samples) == 200
    assert len(missed) <= 2, missed


@pytest.mark.parametrize(("part", "seed"), DRAWS)
def test_of_two_hundred_twins_99_in_100_are_left_alone(part: str, seed: int) -> None:
    samples = harmless_samples(part, seed)
    wrong = [s.text for s in samples if redact(s.text) != s.text]
    assert len(samples) == 200
    assert len(wrong) <= 2, wrong


# The plugins of detect-secrets that know a format, which leaves out those that guess by entropy.
PLUGINS = (
    "aws.AWSKeyDetector",
    "azure_storage_key.AzureStorageKeyDetector",
    "basic_auth.BasicAuthDetector",
    "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector",
    "gitlab_token.GitLabTokenDetector",
    "jwt.JwtTokenDetector",
    "npm.NpmDetector",
    "openai.OpenAIDetector",
    "private_key.PrivateKeyDetector",
    "pypi_token.PypiTokenDetector",
    "sendgrid.SendGridDetector",
    "slack.SlackDetector",
    "stripe.StripeDetector",
    "telegram_token.TelegramBotTokenDetector",
    "twilio.TwilioKeyDetector",
)


@pytest.mark.parametrize("part", ["first", "held_out"])
def test_what_a_well_kept_detector_finds_is_found_here_too(part: str) -> None:
    pytest.importorskip("detect_secrets")
    plugins = [_plugin(name) for name in PLUGINS]
    texts = [s.text for s in secret_samples(part, 3) if s.format in BARE]
    known = [text for text in texts if any(_finds(plugin, text) for plugin in plugins)]
    assert len(known) > len(texts) // 3
    assert [text for text in known if not find_secrets(text)] == []


def _plugin(name: str) -> Any:
    module, _, cls = name.partition(".")
    return getattr(pytest.importorskip(f"detect_secrets.plugins.{module}"), cls)()


def _finds(plugin: Any, text: str) -> bool:
    return any(list(plugin.analyze_string(line)) for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"push with {GITHUB} please", "github_token"),
        (f"密钥为 {KEY}", "key"),
        (f"curl -H 'Authorization: Bearer {KEY}'", "bearer_token"),
        (f"postgresql://app:{KEY[:9]}@db/app", "url_password"),
        (f"API_KEY={KEY}", "key"),
        (f"client_secret: {KEY}", "secret"),
        (f"access_token={KEY}", "token"),
        ("密码是 sunny4711", "password"),
        ("the passphrase is Tr0ub4dor&3", "password"),
        ("curl -u bob:Sunny4711 https://x", "command_password"),
    ],
)
def test_a_secret_has_the_name_of_its_format(text: str, name: str) -> None:
    (found,) = find_secrets(text)
    assert found.name == name
    assert redact(text) == f"{text[: found.start]}[secret:{name}]{text[found.end :]}"


@pytest.mark.parametrize("word", LITERALS)
def test_the_keyword_of_a_format_alone_is_harmless(word: str) -> None:
    for text in (word, f"{word}...", f"the prefix {word} is documented"):
        assert find_secrets(text) == ()


def test_only_the_secret_goes_and_the_sentence_stays() -> None:
    assert (
        redact("数据库密码：Sunny4711，端口 5432。") == "数据库密码：[secret:password]，端口 5432。"
    )
    assert redact("the password is Sunny4711.") == "the password is [secret:password]."
    assert redact("Pwd=Sunny4711;Encrypt=true") == "Pwd=[secret:password];Encrypt=true"
    assert redact(f"f(token='{KEY}')") == "f(token='[secret:token]')"


def test_a_private_key_goes_whole_even_when_it_was_cut_short() -> None:
    lines = "\n".join(run(RNG, ALNUM, 64) for _ in range(3))
    head = "-----BEGIN " + "EC PRIVATE KEY-----"
    whole = f"see\n{head}\n{lines}\n-----END EC PRIVATE KEY-----\nthat one"
    for text in (whole, f"see\n{head}\n{lines}"):
        assert not any(line in redact(text) for line in lines.split("\n"))
    assert redact(whole).endswith("-----END EC PRIVATE KEY-----\nthat one")


def test_the_bounds_are_the_settings() -> None:
    short = run(random.Random(3), HEX, 12) + "a1"
    assert redact(f"api_key={short}") == f"api_key={short}"
    assert redact(f"api_key={short}", Bounds(length=12)) == "api_key=[secret:key]"
    assert redact(f"api_key={KEY}", Bounds(entropy=8)) == f"api_key={KEY}"


class TestJson:
    def test_texts_at_any_depth_are_redacted(self) -> None:
        told = {"argv": ["run", {"env": f"TOKEN={KEY}"}], "n": 3, "ok": True, "none": None}
        assert redact_json(told) == {
            "argv": ["run", {"env": "TOKEN=[secret:token]"}],
            "n": 3,
            "ok": True,
            "none": None,
        }

    def test_the_name_of_a_field_tells(self) -> None:
        told = {"password": "Sunny4711", "user": "Sunny4711", "api_key": KEY, "id": KEY}
        assert redact_json(told) == {
            "password": "[secret:password]",
            "user": "Sunny4711",
            "api_key": "[secret:key]",
            "id": KEY,
        }
        assert redact_json({"password": 4711_0815}) == {"password": "[secret:password]"}
        assert redact_json({"passwords": ["Sunny4711"]}) == {"passwords": ["[secret:password]"]}

    def test_a_field_may_be_written_as_name_and_value(self) -> None:
        told = [{"name": "DB_PASSWORD", "value": "Sunny4711"}, {"name": "HOST", "value": "db4711"}]
        assert redact_json(told) == [
            {"name": "DB_PASSWORD", "value": "[secret:password]"},
            {"name": "HOST", "value": "db4711"},
        ]

    def test_keys_that_are_secrets_do_not_swallow_each_other(self) -> None:
        other = "gh" + "p_" + run(RNG, ALNUM, 36)
        assert sorted(redact_json({GITHUB: 1, other: 2}).values()) == [1, 2]
        assert GITHUB not in str(redact_json({GITHUB: 1}))


PIECES = st.one_of(
    st.sampled_from(LITERALS),
    st.sampled_from(CUE_WORDS),
    st.sampled_from(
        [" is ", "=", ": ", "是", "：", '"', "'", " ", "\n", "@", "[secret:key]", "--"]
    ),
    st.text(ALNUM + "-_./+", max_size=40),
    st.text(max_size=10),
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.lists(PIECES, max_size=12).map("".join))
def test_finds_are_in_order_and_apart(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


HOSTILE = [
    *LITERALS[::4],
    *(f"{word}{run(RNG, URL, 12)}" for word in LITERALS[1::4]),
    *(f"{word}=a1b2 " for word in CUE_WORDS),
    *(f"{word}{link}" for word in CUE_WORDS for link in (" is ", "是", "（", " for a ")),
    "-", ".", "a", "0", "://a:b", "eyJaaaaaaaaaaaa.", "password=", 'password="',
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_makes_it_slow(unit: str) -> None:
    """A long text is read in pieces of ten thousand characters, so a part of a piece shows it as
    well: some 20 ms where it is linear, far longer where a pattern goes back over the text.
    """
    text = unit * (6_000 // len(unit))
    assert takes_less_than(0.4, lambda: find_secrets(text), occasions=10)

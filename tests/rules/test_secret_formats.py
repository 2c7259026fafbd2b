"""The data of formats: as it was meant in Go, quick on any text, compiled when used."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from mnemic.language.secrets import formats
from mnemic.language.secrets.cues import CUES
from mnemic.language.secrets.finder import redact
from mnemic.language.secrets.formats import CODES, KEYS, SYNTAX, Format, compile_format
from tests.timing import takes_less_than

pytestmark = pytest.mark.feature("N8")

ROOT = Path(__file__).parents[2]
FILES = (KEYS, SYNTAX, CODES, CUES)
FORMS = [form for names in FILES for form in formats.load_formats(*names)]
LENGTH = 25_000


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "secret_formats", ROOT / "scripts/secret_formats.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("go", "key", "other"),
    [
        (r"\b(zq_(?i)[a-f0-9]{8})(?:[\x60'\"\s;]|\\[nr]|$)", "zq_AB12cd34", "ZQ_ab12cd34"),
        (r"(?i)\b(zq-[[:alnum:]]{6})\b", "ZQ-a1B2c3", "zq-a1_2c3"),
        (r"\bzq(?P<kind>a|b)[0-9]{4}(?:[^\w-]|\z)", "zqb1234", "zqc1234"),
    ],
)
def test_a_pattern_of_go_matches_the_same_in_python(
    script: ModuleType, go: str, key: str, other: str
) -> None:
    pattern = script.translate(go, 1)
    assert re.fullmatch(pattern, key, re.A)
    assert not re.fullmatch(pattern, other, re.A)


def test_the_key_after_a_vendor_s_name_is_the_only_group(script: ModuleType) -> None:
    go = (
        r"""(?i)[\w.-]{0,50}?(?:zquux)(?:[ \t\w.-]{0,20})[\s'"]{0,3}"""
        r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}((a|b)[0-9]{4})(?:[\x60'"\s;]|\\[nr]|$)"""
    )
    assert script.translate(go, 1) == "(?i:(?:zquux){assigns}((?:a|b)[0-9]{4}))"


def test_rules_for_files_and_public_names_are_left_out(script: ModuleType) -> None:
    rules = [
        {"id": "zq-client-id", "regex": "zq[0-9]{4}", "keywords": ["zq"]},
        {"id": "zq-file", "regex": "zq[0-9]{4}", "keywords": ["zq"], "path": "x"},
        {"id": "zq-token", "regex": "zq_live_[0-9]{4}", "keywords": ["zq_live_"], "entropy": 2},
    ]
    assert script.convert(rules) == [
        "zq_token\tzq_live_\t2\tzq_live_[0-9]{4}",
        "vendor_token\tzq_live_\t3\t",
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name} {form.keywords[0]}")
def test_no_pattern_is_slow_on_a_hostile_text(form: Format) -> None:
    pattern = compile_format(form)
    units = [
        *(f"{form.keywords[0]}{end}" for end in ("", " is ", "=", "a1B2c3D4e5")),
        "A1b2", "0", "a-", "4 ",
    ]  # fmt: skip
    for unit in units:
        text = unit * (LENGTH // len(unit))
        assert takes_less_than(0.125, partial(_read, pattern, text)), unit


def _read(pattern: re.Pattern[str], text: str) -> None:
    for _ in pattern.finditer(text):
        pass


def test_a_fresh_process_compiles_only_what_a_message_asks_for() -> None:
    code = (
        "from mnemic.language.secrets import finder, formats\n"
        "finder.redact('We met Anna at the lake on 12 May and talked about https://a.example/b/c/d')\n"
        "print(formats.compile_format.cache_info().currsize)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) < 15


def test_a_key_longer_than_its_vendor_s_rule_says_goes_whole() -> None:
    for prefix in ("gl" + "pat-", "npm" + "_", "lin" + "_api_", "sk" + "-ant-api03-"):
        key = prefix + "Zk3vT9qLw2Xc7Nb5Rf1Hd8Jm4Gs6Py0a" * 2
        clean = redact(f"try {key}, it is new")
        assert key[-8:] not in clean
        assert clean.startswith("try [secret:")
        assert clean.endswith("], it is new")

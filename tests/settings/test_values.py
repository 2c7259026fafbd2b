"""The values settings are made of, secrets above all, and the house rules settings keep."""

from __future__ import annotations

import copy
import json
import logging
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import types
from mnemic.errors import ConfigError
from mnemic.rules.importance import KIND_IMPORTANCE
from mnemic.settings import (
    PRESETS,
    Secret,
    Settings,
    Size,
    Span,
    Table,
    layers,
    load,
)
from mnemic.settings.dump import as_flat, as_mapping
from mnemic.settings.learning import JobSettings
from mnemic.settings.problems import list_keys
from mnemic.settings.recall import KindName, PersonaBoost, RankingSettings, SectionName
from mnemic.settings.values import duration, duration_text
from scripts.settings_page import markdown, read_sentences
from tests.settings.reads import groups
from tests.settings.test_loading import LEAVES, QUICK, mistake
from tests.timing import takes_less_than

ROOT = Path(__file__).parent.parent.parent


class TestSecrets:
    def test_a_secret_does_not_show(self, caplog: pytest.LogCaptureFixture) -> None:
        secret = Secret("sk-12345")
        logging.getLogger("t").warning("%s %r %s", secret, secret, {"key": secret})
        shown = [
            str(secret),
            repr(secret),
            f"{secret}",
            f"{secret!r:>20}",
            f"{secret:>9}",
            f"{[secret]}",
        ]
        for text in (*shown, caplog.text):
            assert "sk-12345" not in text
            assert "***" in text
        with pytest.raises(TypeError):
            json.dumps(secret)
        assert secret.reveal() == "sk-12345"
        assert (str(Secret()), bool(Secret()), bool(secret)) == ("", False, True)
        assert len({secret, Secret("sk-12345"), Secret("other")}) == 2
        assert secret != "sk-12345"

    def test_settings_do_not_show_theirs(self) -> None:
        keys = [key for key, field in LEAVES.items() if field.sort and field.sort.secret]
        assert len(keys) >= 4
        loaded = load(env={}, overrides=dict.fromkeys(keys, "sk-12345"))
        shown = (
            repr(loaded),
            json.dumps(as_mapping(loaded)),
            str(as_flat(loaded)),
        )
        assert all("sk-12345" not in text for text in shown)
        assert as_flat(loaded)["model.api_key"] == "***"
        assert as_mapping(loaded, reveal=True)["model"]["api_key"] == "sk-12345"

    def test_mistakes_do_not_show_them(self) -> None:
        assert "sk-12345" not in mistake(overrides={"model.api_key": ["sk-12345"]})
        assert "sk-12345" not in mistake(overrides={"model.api_kye": "sk-12345"})
        assert "sk-12345" not in mistake(overrides={"model": "sk-12345"})
        assert "sk-12345" not in mistake(env={"MNEMIC_MODEL__APIKEY": "sk-12345"})
        with pytest.raises(ConfigError) as caught:
            Settings().model.replace(api_key=["sk-12345"])
        assert "sk-12345" not in str(caught.value)


class TestValues:
    @pytest.mark.parametrize(
        ("text", "span"),
        [
            ("500ms", timedelta(milliseconds=500)),
            ("3m", timedelta(minutes=3)),
            ("24h", timedelta(days=1)),
            ("30d", timedelta(days=30)),
            ("2w", timedelta(days=14)),
            ("1.5h", timedelta(minutes=90)),
            ("1h30m", timedelta(minutes=90)),
        ],
    )
    def test_durations(self, text: str, span: timedelta) -> None:
        assert duration(text) == span
        for said in (text, span, span.total_seconds()):
            assert load(env={}, overrides={"jobs.lease": said}).jobs.lease == span
        for said in (text, str(span.total_seconds())):
            assert load(env={"MNEMIC_JOBS__LEASE": said}).jobs.lease == span

    @QUICK
    @given(st.timedeltas(timedelta(0), timedelta(days=10**6)))
    def test_durations_read_back(self, span: timedelta) -> None:
        assert duration(duration_text(span)) == span

    @pytest.mark.parametrize(
        "text", ["", "3", "m", "3 m", "-3m", "3M", "3m!", "1e3s", ".5h", "99999999999d"]
    )
    def test_what_is_no_duration(self, text: str) -> None:
        assert "jobs.lease" in mistake(overrides={"jobs.lease": text})

    def test_never(self) -> None:
        env = {"MNEMIC_TRIGGERS__QUIET_GAP": "never"}
        assert load(env=env).triggers.quiet_gap is None
        assert load(env={}, overrides={"triggers.quiet_gap": None}).triggers.quiet_gap is None

    def test_a_rate_that_is_nothing_never_fades(self) -> None:
        for said in ({"rate": 0}, {"daily_loss": 0.0}, {"rate": 1e-300}):
            assert load(env={}, overrides={"decay.slow": said}).decay.slow.half_life is None
        env = {"MNEMIC_DECAY__SLOW__DAILY_LOSS": "0.5"}
        assert load(env=env).decay.slow.half_life == timedelta(days=1)

    def test_a_later_layer_may_use_the_other_word(self) -> None:
        loaded = load("myclaw", env={}, overrides={"decay.slow.half_life": "90d"})
        assert loaded.decay.slow.half_life == timedelta(days=90)
        assert str(loaded.origins["decay.slow.half_life"]) == "arguments"

    def test_sizes_and_spans(self) -> None:
        env = {
            "MNEMIC_CONTEXT__SECTIONS__REPLY": "12.5%",
            "MNEMIC_EXTRACTION__BATCH_TOKENS": "4",
        }
        loaded = load(env=env)
        assert loaded.context.sections["reply"] == Size(percent=12.5)
        assert loaded.context.sections["reply"].of(8000) == 1000
        assert Size(300).of(10) == 300
        assert loaded.extraction.batch_tokens == Span(4, 4)

    def test_settings_cannot_be_changed(self) -> None:
        loaded = Settings()
        with pytest.raises(AttributeError):
            loaded.jobs.max_attempts = 3  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del loaded.jobs
        with pytest.raises(AttributeError):
            loaded.colour = 3  # type: ignore[attr-defined]
        assert loaded.jobs.replace(max_attempts=4) == JobSettings(max_attempts=4) != loaded.jobs
        assert hash(loaded) == hash(Settings())
        assert copy.deepcopy(loaded) is loaded

    def test_direct_construction_is_checked_too(self) -> None:
        with pytest.raises(ConfigError, match=r"JobSettings.max_attempts = 0 is out of range"):
            JobSettings(max_attempts=0)
        with pytest.raises(ConfigError, match="JobSettings has no setting btach"):
            JobSettings(btach=1)  # type: ignore[call-arg]
        with pytest.raises(ConfigError, match=r"takes JobSettings\(\.\.\.\)"):
            Settings(jobs={"max_attempts": 3})  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="takes a mapping of names"):
            RankingSettings(personas=3)  # type: ignore[arg-type]
        boosts = Table({"poet": PersonaBoost(kinds=("trait",), factor=2)})
        assert RankingSettings(personas=boosts).personas["poet"].factor == 2


class TestHouse:
    def test_kinds_are_those_of_the_engine(self) -> None:
        assert set(Settings().lifetimes.kinds) - {"task_rule"} == set(types.KINDS)
        assert set(Settings().decay.kinds) == set(types.KINDS)
        assert set(KIND_IMPORTANCE) == set(types.KINDS)
        assert get_args(KindName) == types.KINDS

    def test_sections_of_the_prompt_are_those_that_can_be_cut(self) -> None:
        assert tuple(Settings().context.sections) == get_args(SectionName)

    def test_every_setting_is_explained_in_one_line(self) -> None:
        for group in groups():
            sentences = read_sentences().get(group.__name__, {})
            assert sentences.keys() == {n for n, f in group.fields.items() if f.sort or f.table}
            assert all(sentence.endswith(".") for sentence in sentences.values())
        assert 120 < len(list_keys()) < 200

    def test_docs_are_current(self) -> None:
        written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
        assert written == markdown(), (
            "run: python -m scripts.settings_page --write docs/settings.md"
        )

    def test_importing_costs_little_and_reaches_only_down(self) -> None:
        # The package's own __init__ may import more; only what settings bring along counts here.
        code = (
            "import sys, types\n"
            "package = types.ModuleType('mnemic')\n"
            f"package.__path__ = [{str(ROOT / 'src' / 'mnemic')!r}]\n"
            "sys.modules['mnemic'] = package\n"
            "import mnemic.settings\n"
            "print(*sys.modules)\n"
        )
        done = subprocess.run(
            [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
        )
        modules = set(done.stdout.split())
        assert "mnemic.settings.tree" in modules
        assert modules.isdisjoint(
            {"tomllib", "dataclasses", "inspect", "pathlib", "difflib", "json"}
        )
        ours = {name for name in modules if name.startswith("mnemic.")}
        assert {name for name in ours if "settings" not in name} == {"mnemic.errors"}

    @pytest.mark.parametrize("preset", PRESETS)
    def test_loading_is_fast(self, preset: str) -> None:
        def once() -> None:
            layers.read_preset.cache_clear()
            load(preset, env={})

        assert takes_less_than(0.005, once, occasions=100)

"""Each document's figures, as the document gives them, against the preset that carries them.

Places: A OpenAkita refactoring design, B OpenAkita v2, C Shiyi, D myclaw, E semibot.
"""

from __future__ import annotations

import math
import re
import tomllib
from datetime import timedelta
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import mnemic.settings
from mnemic.settings import PRESETS, Condition, Secret, Settings, Size, Span, load
from mnemic.settings.dump import as_mapping
from mnemic.settings.problems import list_keys
from mnemic.settings.upkeep import DecayClass
from scripts.toml_text import toml_text

FOLDER = Path(mnemic.settings.__file__).parent / "presets"
DOCUMENTS = tuple(name for name in PRESETS if name != "default")

FOREVER = None
LIFE_OF_ALL_KINDS = (
    "identity preference rule task_rule config credential fact decision skill lesson event trait "
    "temp"
).split()


def days(number: float) -> timedelta:
    return timedelta(days=number)


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


Rows = list[tuple[str, str, object]]

OPENAKITA: Rows = [
    ("A §4.5 JSONL beside SQLite", "ledger.jsonl", True),
    ("A §4.5 cleaned after 30 days", "ledger.jsonl_keep", days(30)),
    ("B §6 every user message", "triggers.per_turn", True),
    ("B §6 at least 30 characters", "triggers.per_turn_min_chars", 30),
    ("B §6 at most 5 a session", "triggers.per_turn_max", 5),
    ("B §6 once at session end", "triggers.session_end", True),
    ("A §5.6 before compression", "triggers.before_compression", True),
    ("A §5.6 by quick rules", "triggers.compression_rules", True),
    ("A §7.4 unextracted turns at night", "triggers.daily_sweep", True),
    ("A §4.6 three retries", "jobs.max_attempts", 3),
    ("A §4.3 scratchpad of 2000", "scratchpad.max_chars", 2000),
    ("B §4 driven by the task", "scratchpad.driver", "task"),
    ("B §6 the model asks", "gate.mode", "on_demand"),
    ("A §5.3 limit of 10", "recall.limit", 10),
    ("A §5.5 three days", "recall.recent", days(3)),
    ("A §5.5 three to five turns", "recall.enrich_turns", 5),
    ("A §5.5 relevance", "ranking.weights.relevance", 0.4),
    ("A §5.5 recency", "ranking.weights.recency", 0.25),
    ("A §5.5 importance", "ranking.weights.importance", 0.2),
    ("A §5.5 access frequency", "ranking.weights.access", 0.15),
    ("A §5.5 a persona's kinds", "ranking.personas.tech_expert.kinds", ("skill", "lesson")),
    ("A §5.5 a persona's boost", "ranking.personas.tech_expert.factor", 1.2),
    ("B §6 progressive", "context.disclosure", "progressive"),
    ("A §8.1 total", "context.total", 3000),
    ("A §8.1 catalogs on their own", "context.separate", ("catalogs",)),
    ("A §8.1 identity", "context.sections.identity", Size(350)),
    ("A §8.1 persona", "context.sections.persona", Size(200)),
    ("A §8.1 runtime", "context.sections.runtime", Size(150)),
    ("A §8.1 rules", "context.sections.rules", Size(300)),
    ("A §8.1 scratchpad", "context.sections.scratchpad", Size(500)),
    ("A §8.1 core, with room for Chinese", "context.sections.core", Size(880)),
    ("A §8.1 dynamic", "context.sections.evidence", Size(300)),
    ("A §8.1 user", "context.sections.user", Size(120)),
    ("A §8.1 catalogs", "context.sections.catalogs", Size(800)),
    ("B §4 transient", "lifetimes.transient", days(1)),
    ("B §4 short term", "lifetimes.short_term", days(3)),
    ("B §4 long term", "lifetimes.long_term", days(30)),
    ("B §4 FACT by the model", "lifetimes.kinds.fact", "extractor"),
    ("B §4 PREFERENCE", "lifetimes.kinds.preference", FOREVER),
    ("B §4 SKILL", "lifetimes.kinds.skill", FOREVER),
    ("B §4 ERROR", "lifetimes.kinds.lesson", days(7)),
    ("B §4 RULE for a task", "lifetimes.kinds.task_rule", hours(24)),
    ("B §4 RULE of behavior", "lifetimes.kinds.rule", FOREVER),
    ("A §7.4 only the short term fades", "decay.priorities", ("short_term",)),
    ("A §7.4 archived below", "decay.medium.archive_below", 0.1),
    ("A §7.4 if used less than", "decay.archive_accesses", 2),
    ("B §7 deleted below", "decay.delete_below", 0.1),
    ("B §7 demoted below", "decay.demote_below", 0.3),
    ("A §7.4 at 3:00", "schedule.daily", "0 3 * * *"),
    ("A §5.7 clusters", "upkeep.cluster_distance", 0.15),
    ("A §7.4 MEMORY.md", "documents.memory_file", "MEMORY.md"),
    ("A §7.4 of 1500 characters", "documents.memory_chars", 1500),
    ("A §7.4 five of a kind", "documents.memory_per_kind", 5),
    ("A §7.4 persona file", "documents.persona_file", "personas/user_custom.md"),
    ("A §5.3 vectors by choice", "embedding.provider", "none"),
]

SHIYI: Rows = [
    ("C §6 after every turn", "triggers.per_turn", True),
    ("C §6 of any length", "triggers.per_turn_min_chars", 0),
    ("C §6 however many", "triggers.per_turn_max", 0),
    ("C §6 written from", "routing.write", 0.85),
    ("C §6 pending from", "routing.pending", 0.60),
    ("C §7 one to three", "pending.offer", 3),
    ("C §5 on demand of the message", "gate.mode", "referring"),
    ("C §5 topK of text", "recall.text_candidates", 20),
    ("C §5 topK of vectors", "recall.vector_candidates", 20),
    ("C §5 three to five", "recall.evidence", 5),
    ("C §5 semantic", "ranking.weights.semantic", 0.55),
    ("C §5 keyword", "ranking.weights.keyword", 0.30),
    ("C §5 freshness", "ranking.weights.recency", 0.15),
    ("C §5 eight to twelve turns", "context.recent_turns", 12),
    ("C §5 total", "context.total", 4000),
    ("C §5 system memory", "context.sections.cards", Size(600)),
    ("C §5 recent", "context.sections.recent", Size(2000)),
    ("C §5 evidence", "context.sections.evidence", Size(900)),
    ("C §5 reply", "context.sections.reply", Size(500)),
    ("C §5 evidence first, then recent", "context.cut", ("evidence", "recent")),
    ("C §5 cards stay", "context.keep", ("cards",)),
    ("C §6 User.md of 2 KB", "documents.user_bytes", 2048),
    ("C §2.2 User.md", "documents.user_file", "shared/User.md"),
    ("C §6 Project.md of 100 lines", "documents.project_lines", 100),
    ("C §2.2 Project.md", "documents.project_file", "shared/Project.md"),
    ("C §6 ten insights", "documents.insights_items", 10),
    ("C §2.2 Insights.md", "documents.insights_file", "shared/Insights.md"),
    ("C §2.2 ShiYi.md", "documents.persona_file", "system/ShiYi.md"),
    ("C §3 asked once", "documents.onboarding", True),
    ("C §2.3 sql-vec", "index.vectors", "sqlite-vec"),
    *[("C §4 no expiry", f"lifetimes.kinds.{kind}", FOREVER) for kind in LIFE_OF_ALL_KINDS],
]

MYCLAW: Rows = [
    ("D §6.2 quiet for three minutes", "triggers.quiet_gap", timedelta(minutes=3)),
    ("D §6.2 near 6000 tokens", "triggers.buffer_tokens", 6000),
    ("D §6.2 daily sweep", "triggers.daily_sweep", True),
    ("D §6.2 batches of 3K to 6K", "extraction.batch_tokens", Span(3000, 6000)),
    ("D §4.1 about 20 messages", "short_term.recent_limit", 20),
    ("D §5.1 rules first", "gate.mode", "gated"),
    ("D §5.2 fewer than 5 characters", "gate.min_chars", 5),
    ("D §5.3 partition first, text second", "recall.routes", ("partition", "memory")),
    ("D §5.3 text when fewer than five", "recall.supplement_below", 5),
    ("D §5.3 ten of text", "recall.text_candidates", 10),
    ("D §5.3 top five", "recall.limit", 5),
    ("D §5.1 five into the prompt", "recall.evidence", 5),
    ("D §5.3 use is counted", "recall.touch", True),
    ("D §8.4 order by faded importance", "ranking.weights.importance", 1.0),
    ("D §8.4 faded", "ranking.importance_decays", True),
    ("D §8.2 floor of decisions", "decay.slow.floor", 0.3),
    ("D §8.2 floor of events", "decay.medium.floor", 0.1),
    ("D §8.2 floor of temporary", "decay.fast.floor", 0.0),
    ("D §8.2 identity", "decay.kinds.identity", "never"),
    ("D §8.2 config", "decay.kinds.config", "never"),
    ("D §8.2 credential", "decay.kinds.credential", "never"),
    ("D §8.2 decision", "decay.kinds.decision", "slow"),
    ("D §8.2 solution", "decay.kinds.skill", "slow"),
    ("D §8.2 solution", "decay.kinds.lesson", "slow"),
    ("D §8.2 event", "decay.kinds.event", "medium"),
    ("D §8.2 temporary", "decay.kinds.temp", "fast"),
    ("D §4.2 core of 100", "capacity.core", 100),
    ("D §4.3 knowledge of 2000", "capacity.knowledge", 2000),
    ("D §4.3 at most 5000", "capacity.knowledge_max", 5000),
    ("D §7.1 daily at 3:00", "schedule.daily", "0 3 * * *"),
    ("D §7.1 Mondays at 4:00", "schedule.weekly", "0 4 * * 1"),
    ("D §7.3 importance", "upkeep.core_importance", 0.7),
    ("D §10.4 AGENTS.md", "identity.agent_file", "AGENTS.md"),
    ("D §11.2 temperature", "model.temperature", 0.3),
    ("D §4.3 no vectors at first", "embedding.provider", "none"),
    *[("D no expiry", f"lifetimes.kinds.{kind}", FOREVER) for kind in LIFE_OF_ALL_KINDS],
]

SEMIBOT: Rows = [
    ("E §6.1 three messages", "triggers.session_min_messages", 3),
    ("E §6.1 alike", "reconcile.merge_cosine", 0.9),
    ("E §4.1 messages", "short_term.max_messages", 200),
    ("E §4.2 the first half", "short_term.compact_share", 0.5),
    ("E §4.1 window", "short_term.window_tokens", 8000),
    ("E §4.1 recent", "short_term.recent_limit", 50),
    ("E §7 always", "gate.mode", "always"),
    ("E §5.1 limit", "recall.limit", 5),
    ("E §7 five into the prompt", "recall.evidence", 5),
    ("E §5.1 three times the limit, §5.3 fifteen candidates", "recall.vector_candidates", 15),
    ("E §5.2 similarity", "ranking.weights.semantic", 0.6),
    ("E §5.2 importance", "ranking.weights.importance", 0.25),
    ("E §5.2 time", "ranking.weights.recency", 0.15),
    ("E §5.2 half-life", "ranking.recency_half_life", days(30)),
    ("E §5.1 what is found counts as updated", "ranking.recency_clock", "accessed"),
    ("E §4.3 system", "context.sections.system", Size(percent=15)),
    ("E §4.3 long term", "context.sections.evidence", Size(percent=15)),
    ("E §4.3 short term", "context.sections.recent", Size(percent=50)),
    ("E §4.3 reply", "context.sections.reply", Size(percent=20)),
    ("E §4.3 of the model's window", "context.total", 0),
    ("E §4.3 window of other models", "context.window", 8192),
    ("E §10.1 memories", "capacity.total", 10_000),
    ("E §5.1 cache", "embedding.cache_entries", 1000),
    ("E §12 sqlite-vec", "index.vectors", "sqlite-vec"),
    ("E §11.1 event", "events.rules.consolidate_on_session_end.event", "session.ended"),
    (
        "E §11.1 condition",
        "events.rules.consolidate_on_session_end.when",
        (Condition("message_count", ">=", 3),),
    ),
    ("E §11.1 mode", "events.rules.consolidate_on_session_end.mode", "auto"),
    ("E §11.1 risk", "events.rules.consolidate_on_session_end.risk", "low"),
    ("E §11.2 event", "events.rules.announce_important_memory.event", "memory.write.important"),
    (
        "E §11.2 condition",
        "events.rules.announce_important_memory.when",
        (Condition("importance", ">=", 0.8),),
    ),
    *[("E §1 permanent", f"lifetimes.kinds.{kind}", FOREVER) for kind in LIFE_OF_ALL_KINDS],
]

FIGURES = [
    pytest.param(preset, key, value, id=f"{preset}-{place}-{key}")
    for preset, rows in (
        ("openakita", OPENAKITA),
        ("shiyi", SHIYI),
        ("myclaw", MYCLAW),
        ("semibot", SEMIBOT),
    )
    for place, key, value in rows
]


def at(settings: Settings, key: str) -> Any:
    def step(node: Any, name: str) -> Any:
        return node[name] if isinstance(node, mnemic.settings.Table) else getattr(node, name)

    return reduce(step, key.split("."), settings)


@pytest.mark.parametrize(("preset", "key", "value"), FIGURES)
def test_a_preset_carries_its_documents_figures(preset: str, key: str, value: object) -> None:
    settings = load(preset, env={})
    assert at(settings, key) == value
    # Written out in the preset itself, so that tuning our defaults cannot move it.
    assert str(settings.origins[key]) == f"preset {preset}"


@pytest.mark.parametrize(
    ("name", "law"),
    [
        pytest.param("slow", lambda d: 0.3 + 0.7 * math.exp(-0.004 * d), id="decision, solution"),
        pytest.param("medium", lambda d: 0.1 + 0.9 * math.exp(-0.023 * d), id="event"),
        pytest.param("fast", lambda d: math.exp(-0.099 * d), id="temp, debug"),
    ],
)
def test_myclaw_fades_by_the_documents_rates(name: str, law: Any) -> None:
    decay: DecayClass = getattr(load("myclaw", env={}).decay, name)
    for day in (0, 1, 7, 30, 180, 1000):
        assert faded(decay, day) == pytest.approx(law(day), rel=1e-9)


def test_openakita_fades_by_the_documents_rate() -> None:
    """A §4.6: decay_rate 0.1; A §7.4: importance x (1 - rate)^days."""
    decay = load("openakita", env={}).decay
    assert {decay.kinds[kind] for kind in ("fact", "skill", "preference")} == {"medium"}
    for day in (0, 1, 3, 30):
        assert faded(decay.medium, day) == pytest.approx(0.9**day, rel=1e-9)


def faded(decay: DecayClass, day: float) -> float:
    """The one law of the engine."""
    if decay.half_life is None:
        return 1.0
    return decay.floor + (1 - decay.floor) * math.pow(0.5, day / (decay.half_life / days(1)))


def test_semibot_shares_of_a_window() -> None:
    """E §4.3: a share is rounded down."""
    sections = load("semibot", env={}).context.sections
    shares = [sections[name] for name in ("system", "evidence", "recent", "reply")]
    assert [share.of(8192) for share in shares] == [1228, 1228, 4096, 1638]
    assert [share.of(100_000) for share in shares] == [15_000, 15_000, 50_000, 20_000]


def test_sections_of_a_document_and_no_others() -> None:
    def sizes(preset: str) -> dict[str, object]:
        sections = as_mapping(load(preset, env={}).context)["sections"]
        return {name: size for name, size in sections.items() if size != 0}

    assert sizes("shiyi") == {"cards": 600, "evidence": 900, "recent": 2000, "reply": 500}
    assert sizes("semibot") == {
        "core": 800,  # the rules, which always reach the prompt
        "system": "15%",
        "evidence": "15%",
        "recent": "50%",
        "reply": "20%",
    }
    assert set(sizes("openakita")) == {
        "guide",
        "identity",
        "persona",
        "runtime",
        "rules",
        "scratchpad",
        "core",
        "evidence",
        "user",
        "catalogs",
    }


def test_environment_of_myclaw() -> None:
    """D §9.4; the names mean nothing to other presets, and ours win over them."""
    env = {
        "MYCLAW_MEMORY_ENABLED": "false",
        "MYCLAW_MEMORY_MODEL": "gpt-5",
        "MYCLAW_MEMORY_API_KEY": "sk-xxx",
        "MYCLAW_MEMORY_BASE_URL": "https://example.org/v1",
    }
    settings = load("myclaw", env=env)
    assert settings.memory.enabled is False
    assert settings.model.name == "gpt-5"
    assert settings.model.api_key == Secret("sk-xxx")
    assert settings.model.base_url == "https://example.org/v1"
    assert str(settings.origins["model.name"]) == "environment MYCLAW_MEMORY_MODEL"
    assert load("myclaw", env={**env, "MNEMIC_MODEL": "b"}).model.name == "b"
    both = {**env, "MNEMIC_MODEL": "b", "MNEMIC_MODEL__NAME": "c"}
    assert load("myclaw", env=both).model.name == "c"
    assert load("shiyi", env=env) == load("shiyi", env={})


def test_memory_model_borrows_from_the_main_one() -> None:
    """D §11.2: own provider, model and length where given, else the main ones."""
    chat = {
        "provider": "openai",
        "name": "gpt-5.3-codex",
        "api_key": "main",
        "base_url": "https://main.example/v1",
        "max_tokens": 128_000,
    }

    def memory(**model: object) -> Any:
        return load("myclaw", env={}, overrides={"chat": chat, "model": model}).memory_model

    borrowed = memory(name="gpt-5")
    assert (borrowed.provider, borrowed.name, borrowed.max_tokens) == ("openai", "gpt-5", 128_000)
    assert (borrowed.api_key.reveal(), borrowed.base_url) == ("main", "https://main.example/v1")
    assert memory().name == "gpt-5.3-codex"
    own = memory(provider="openai", api_key="own", base_url="https://own.example/v1")
    assert (own.api_key.reveal(), own.base_url) == ("own", "https://own.example/v1")
    # The main key is never sent to an address that is not the main one.
    assert not memory(base_url="https://own.example/v1").api_key
    assert not memory(provider="ollama").api_key
    assert memory(provider="none").provider == "none"


def test_default_is_the_built_in_defaults() -> None:
    settings = load("default", env={})
    assert settings == Settings() == load(env={})
    assert {str(origin) for key, origin in settings.origins.items() if key != "preset"} == {
        "built-in"
    }


def test_what_default_toml_shows_is_true() -> None:
    """The commented lines, taken as a settings file, say exactly the defaults."""
    text = (FOLDER / "default.toml").read_text(encoding="utf-8")
    shown = tomllib.loads("\n".join(re.findall(r"^# (\[[\w.]+\]|\w+ = .*)$", text, re.MULTILINE)))
    assert len(shown) > 5
    # A key that says what the default is leaves no trace.
    assert load(env={}, overrides=shown) == Settings()


def test_presets_are_the_files_in_the_folder() -> None:
    assert sorted(PRESETS) == sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_survives_being_written_out(preset: str, tmp_path: Path) -> None:
    settings = load(preset, env={})
    file = tmp_path / "mnemic.toml"
    file.write_text(toml_text(as_mapping(settings, reveal=True)), encoding="utf-8")
    assert load(file=file, env={}) == settings
    assert load("default", file=file, env={}) == settings.replace(preset="default")
    assert load(env={}, overrides=as_mapping(settings, reveal=True)) == settings


@pytest.mark.parametrize("preset", DOCUMENTS)
def test_presets_differ_from_ours(preset: str) -> None:
    assert load(preset, env={}) != load("default", env={}).replace(preset=preset)


def test_every_key_of_a_preset_is_known() -> None:
    for preset in PRESETS:
        loaded = load(preset, env={})
        plain = {key for key in list_keys() if "<name>" not in key}
        assert plain <= set(loaded.origins)

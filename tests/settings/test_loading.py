"""Layers and mistakes of settings."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemic.errors import ConfigError
from mnemic.settings import (
    PRESETS,
    Condition,
    Settings,
    Span,
    find_file,
    layers,
    load,
)
from mnemic.settings.dump import as_flat, as_mapping
from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.learning import JobSettings
from mnemic.settings.problems import env_name
from mnemic.settings.sorts import Sort
from scripts.toml_text import toml_text, toml_value

# No deadlines: the machine may be busy with other tests.
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
IN_TMP = settings(
    QUICK, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def leaves(group: type[SettingsGroup] = Settings, prefix: str = "") -> dict[str, Setting]:
    """Every key that holds one value."""
    found: dict[str, Setting] = {}
    for name, field in group.fields.items():
        if field.group is not None and not field.table:
            found |= leaves(field.group, f"{prefix}{name}.")
        elif not field.table and name != "preset":
            found[prefix + name] = field
    return found


LEAVES = leaves()
# Keys that must agree with others cannot be set alone to anything they take.
BOUND = (
    "ranking.weights.",
    "routing.",
    "capacity.knowledge",
    "jobs.backoff_",
    "context.cut",
    "context.keep",
    "context.sections.",
    "decay.",
)
FREE = sorted(key for key in LEAVES if not key.startswith(BOUND))

words = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
lines = st.text(
    st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs"])
)


def durations(sort: Sort) -> st.SearchStrategy[Any]:
    numbers = st.integers(1, 10**9)
    texts = st.builds("{}{}".format, st.integers(1, 999), st.sampled_from("smhdw"))
    return st.one_of(numbers, texts, *([st.just("never")] if sort.limits["never"] else []))


def reals(low: float, high: float | None, above: bool) -> st.SearchStrategy[float]:
    return st.floats(low, low + 10**6 if high is None else high, exclude_min=above)


# Values each sort takes, as a TOML file or a caller gives them.
STRATEGIES: dict[str, Callable[[Sort], st.SearchStrategy[Any]]] = {
    "flag": lambda sort: st.booleans(),
    "whole": lambda sort: st.integers(
        sort.limits["low"], sort.limits["high"] or sort.limits["low"] + 10**6
    ),
    "real": lambda sort: reals(**sort.limits),
    "choice": lambda sort: st.sampled_from(sort.limits["options"]),
    "inside": lambda sort: st.from_regex(r"[\w-]{1,9}(/[\w.-]{1,9}md)?", fullmatch=True),
    "text": lambda sort: lines if sort.limits["empty"] else lines.filter(str.strip),
    "place": lambda sort: lines if sort.limits["empty"] else lines.filter(str.strip),
    "url": lambda sort: st.sampled_from(["", "http://127.0.0.1:1143", "https://a.org/v1"]),
    "secret": lambda sort: lines,
    "span": durations,
    "names": lambda sort: st.lists(
        st.sampled_from(sort.limits["options"]) if sort.limits["options"] else words,
        unique=True,
        max_size=4,
    ),
    "pair": lambda sort: st.lists(
        st.integers(sort.limits["low"], 10**6), min_size=2, max_size=2
    ).map(sorted),
    "cron": lambda sort: st.sampled_from(["never", "*/5 * * * *", "30 23 1-15 1,6 MON-FRI"]),
    "zone": lambda sort: st.sampled_from(["local", "UTC", "Asia/Shanghai", "Etc/GMT+8"]),
}


def values(sort: Sort) -> st.SearchStrategy[Any]:
    return STRATEGIES[sort.name](sort)


def sort_of(key: str) -> Sort:
    sort = LEAVES[key].sort
    assert sort is not None
    return sort


def as_variable(sort: Sort, value: Any) -> str:
    if sort.name == "pair":
        return "-".join(map(str, value))
    return ",".join(value) if isinstance(value, list) else str(value)


def value_at(settings_: Settings, key: str) -> Any:
    node: Any = settings_
    for name in key.split("."):
        node = getattr(node, name)
    return node


def nested(key: str, value: object) -> dict[str, Any]:
    head, _, rest = key.partition(".")
    return {head: nested(rest, value) if rest else value}


def write(folder: Path, key: str, value: object) -> Path:
    section, _, name = key.rpartition(".")
    file = folder / "mnemic.toml"
    file.write_text(f"[{section}]\n{name} = {toml_value(value)}\n", encoding="utf-8")
    return file


class TestLayers:
    @IN_TMP
    @given(data=st.data())
    def test_the_later_layer_wins(self, data: st.DataObject, tmp_path: Path) -> None:
        key = data.draw(st.sampled_from(FREE))
        sort = sort_of(key)
        in_file, in_env, in_arguments = (data.draw(values(sort)) for _ in range(3))
        preset = data.draw(st.sampled_from(PRESETS))
        file, env = write(tmp_path, key, in_file), {env_name(key): as_variable(sort, in_env)}
        arguments = {key: in_arguments}

        def outcome(**given_layers: Any) -> tuple[Any, str]:
            loaded = load(preset, **{"env": {}, **given_layers})
            return value_at(loaded, key), loaded.origins[key].layer

        assert outcome(file=file) == (sort.read(in_file), "file")
        assert outcome(file=file, env=env) == (sort.read(in_env), "environment")
        everything = outcome(file=file, env=env, overrides=arguments)
        assert everything == (sort.read(in_arguments), "arguments")
        assert outcome(env=env, overrides=arguments) == everything
        assert outcome(overrides=arguments) == everything

    @QUICK
    @given(data=st.data())
    def test_setting_one_key_changes_no_other(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(FREE))
        value = data.draw(values(sort_of(key)))
        before, after = load(env={}), load(env={}, overrides={key: value})
        changed = {name for name in LEAVES if value_at(before, name) != value_at(after, name)}
        assert changed <= {key}

    @QUICK
    @given(data=st.data())
    def test_arguments_can_be_spelled_three_ways(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(FREE))
        value = data.draw(values(sort_of(key)))
        dotted = load(env={}, overrides={key: value})
        assert load(env={}, overrides=nested(key, value)) == dotted
        assert load(env={}, overrides={key.replace(".", "__"): value}) == dotted

    @IN_TMP
    @given(chosen=st.sets(st.sampled_from(FREE), max_size=8), data=st.data())
    def test_round_trip(self, chosen: set[str], data: st.DataObject, tmp_path: Path) -> None:
        said = {key: data.draw(values(sort_of(key))) for key in sorted(chosen)}
        loaded = load(env={}, overrides=said)
        assert load(env={}, overrides=as_mapping(loaded, reveal=True)) == loaded
        file = tmp_path / "all.toml"
        file.write_text(toml_text(as_mapping(loaded, reveal=True)), encoding="utf-8")
        secrets = {key: value for key, value in said.items() if sort_of(key).secret}
        assert load(file=file, env={}, overrides=secrets) == loaded
        assert pickle.loads(pickle.dumps(loaded)) == loaded

    def test_the_preset_is_named_by_the_strongest_layer(self, tmp_path: Path) -> None:
        file = tmp_path / "mnemic.toml"
        file.write_text('preset = "shiyi"\n', encoding="utf-8")
        env = {"MNEMIC_PRESET": "semibot"}

        def named(*arguments: str, **given_layers: Any) -> tuple[str, str]:
            loaded = load(*arguments, **{"env": {}, **given_layers})
            return loaded.preset, str(loaded.origins["preset"])

        assert named() == ("default", "built-in")
        assert named(file=file) == ("shiyi", f"file {file}")
        assert named(file=file, env=env) == ("semibot", "environment MNEMIC_PRESET")
        assert named("myclaw", file=file, env=env) == ("myclaw", "arguments")
        assert named(overrides={"preset": "myclaw"}, env=env) == ("myclaw", "arguments")

    def test_the_process_environment_is_read_unless_another_is_given(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MNEMIC_JOBS__MAX_ATTEMPTS", "9")
        assert load().jobs.max_attempts == 9
        assert load(env={}).jobs.max_attempts == 3

    def test_origins_name_every_key_and_its_place(self, tmp_path: Path) -> None:
        file = write(tmp_path, "gate.min_chars", 7)
        env = {"MNEMIC_JOBS__LEASE": "90s"}
        loaded = load("shiyi", file=file, env=env, overrides={"recall.limit": 4})
        assert set(loaded.origins) == set(as_flat(loaded))
        assert str(loaded.origins["gate.min_chars"]) == f"file {file}"
        assert str(loaded.origins["jobs.lease"]) == "environment MNEMIC_JOBS__LEASE"
        assert str(loaded.origins["recall.limit"]) == "arguments"
        assert str(loaded.origins["routing.write"]) == "preset shiyi"
        assert str(loaded.origins["short_term.max_messages"]) == "built-in"

    def test_entries_of_a_table_are_merged_by_name(self) -> None:
        env = {"MNEMIC_EVENTS__RULES__CONSOLIDATE_ON_SESSION_END__ENABLED": "false"}
        mine = {"event": "forget", "when": ["a.b == x"], "actions": ["notify"]}
        extra = {"events": {"rules": {"mine": mine}}}
        rules = load("semibot", env=env, overrides=extra).events.rules
        assert rules["consolidate_on_session_end"].enabled is False
        assert rules["consolidate_on_session_end"].when == (Condition("message_count", ">=", 3),)
        assert rules["mine"].when == (Condition("a.b", "==", "x"),)
        assert "announce_important_memory" in rules

    def test_built_in_entries_stay(self) -> None:
        said = {"events.rules": {"announce_important_memory": {"risk": "high"}}}
        rules = load("semibot", env={}, overrides=said).events.rules
        assert rules["announce_important_memory"].risk == "high"
        assert rules["announce_important_memory"].event == "memory.write.important"

    def test_names_in_a_table_may_have_dots(self) -> None:
        for said in ({"context": {"windows": {"gpt-4.1": 9}}}, {"context.windows.gpt-4.1": 9}):
            loaded = load(env={}, overrides=said)
            assert dict(loaded.context.windows) == {"gpt-4.1": 9}
            assert load(env={}, overrides=as_mapping(loaded)) == loaded

    def test_sections_and_values_of_our_own_types_are_taken(self) -> None:
        jobs = JobSettings(max_attempts=7, lease=timedelta(minutes=1))
        loaded = load(env={}, overrides={"jobs": jobs, "extraction": {"batch_tokens": Span(1, 2)}})
        assert loaded.jobs == jobs
        assert loaded.extraction.batch_tokens == (1, 2)

    def test_short_names(self) -> None:
        env = {"MNEMIC_ENABLED": "no", "MNEMIC_LANGUAGE": "zh", "MNEMIC_API_KEY": "k"}
        loaded = load(env=env)
        assert (loaded.memory.enabled, loaded.memory.language) == (False, "zh")
        assert loaded.model.api_key.reveal() == "k"

    def test_variables_that_are_not_settings(self) -> None:
        names = [*layers.RESERVED, "MNEMIC_TEST_POSTGRES", "PATH", "mnemic_jobs__lease"]
        env = dict.fromkeys(names, "x") | {"MNEMIC_PRESET": "default"}
        assert load(env=env) == Settings()

    def test_every_variable_that_the_package_reads_may_be_set(self) -> None:
        package = Path(layers.__file__).parents[1]
        code = "\n".join(path.read_text("utf-8") for path in package.rglob("*.py"))
        single = set(re.findall(r"\bMNEMIC_[A-Z]+(?:_[A-Z]+)*(?!_)\b", code))
        assert len(single) > 10
        assert single - layers.ALIASES.keys() <= layers.RESERVED

    def test_finding_the_file(self, tmp_path: Path) -> None:
        there = tmp_path / "mnemic.toml"
        there.touch()
        assert find_file(tmp_path / "no.toml", there, env={}) == str(there)
        assert find_file(tmp_path / "no.toml", tmp_path, env={}) is None
        assert find_file(there, env={"MNEMIC_CONFIG": "other.toml"}) == "other.toml"


def mistake(**given_layers: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(**{"env": {}, **given_layers})
    assert caught.value.remedy
    return str(caught.value)


class TestMistakes:
    @QUICK
    @given(
        section=st.sampled_from(["", *sorted({key.rpartition(".")[0] for key in LEAVES})]),
        name=st.text(min_size=1, max_size=12),
        value=st.none() | st.booleans() | st.text() | st.dictionaries(st.text(), st.integers()),
    )
    def test_an_unknown_key_is_never_passed_over(self, section: str, name: str, value: Any) -> None:
        at: Any = Settings
        for part in section.split(".") if section else []:
            at = at.fields[part].group
        if name in at.fields or name in at.spellings or "." in name or "__" in name:
            return
        key = f"{section}.{name}" if section else name
        assert "no such setting" in mistake(
            overrides=nested(section, {name: value}) if section else {name: value}
        )
        assert key in mistake(overrides={key: value})

    @pytest.mark.parametrize(
        ("said", "right"),
        [
            ({"jobs.max_atempts": 5}, "Did you mean jobs.max_attempts?"),
            ({"max_attempts": 5}, "Did you mean jobs.max_attempts?"),
            ({"recall": {"max_attempts": 5}}, "Did you mean jobs.max_attempts?"),
            ({"job": {"lease": 5}}, "Did you mean jobs?"),
            ({"jobs": {"colour": 1}}, "In jobs there are jobs.max_attempts, jobs.backoff_first"),
            ({"weather": 1}, "The groups are memory, ledger, attachments"),
            ({"jobs.lease.seconds": 5}, "jobs.lease.seconds (from arguments): there is no such"),
            (
                {"events": {"rules": {"a": {"evnt": "x"}}}},
                "Did you mean events.rules.<name>.event?",
            ),
        ],
    )
    def test_an_unknown_key_gets_the_nearest_ones(self, said: Any, right: str) -> None:
        assert right in mistake(overrides=said)

    def test_variables_get_variables(self) -> None:
        error = mistake(env={"MNEMIC_JOBS_MAX_ATTEMPTS": "5"})
        assert "MNEMIC_JOBS_MAX_ATTEMPTS" in error
        assert "Did you mean MNEMIC_JOBS__MAX_ATTEMPTS?" in error

    def test_every_mistake_is_told_at_once(self, tmp_path: Path) -> None:
        file = write(tmp_path, "gate.mode", "allways")
        error = mistake(file=file, env={"MNEMIC_JOBS__MAX_ATTEMPTS": "0"}, overrides={"jobz": {}})
        assert "3 settings are wrong" in error
        assert f"gate.mode = 'allways' (from file {file}): is not one of them" in error
        assert "It takes one of `always`, `gated`, `referring`, `on_demand`" in error
        assert "'0' (from environment MNEMIC_JOBS__MAX_ATTEMPTS): is out of range" in error
        assert "jobz (from arguments): there is no such setting" in error

    @pytest.mark.parametrize("key", sorted(LEAVES))
    def test_no_key_takes_what_is_not_its_own(self, key: str, tmp_path: Path) -> None:
        wrong: list[Any] = [{"a": 1}, [1, {}], object()]
        sort = sort_of(key)
        if sort.name in ("whole", "real", "span"):
            wrong += [True, "5", "", -1, float("nan"), float("inf"), -float("inf"), 10**400]
        if sort.name == "whole":
            wrong = [*wrong[:-1], 1.5, sort.limits["low"] - 1]
        if sort.name == "real" and sort.limits["high"] is not None:
            wrong += [sort.limits["high"] + 0.01]
        if sort.name == "flag":
            wrong += [0, 1, "true", None]
        if sort.name in ("text", "inside", "url", "secret", "choice"):
            wrong += [5, True, None]
        for value in wrong:
            error = mistake(overrides={key: value})
            assert key in error
            assert sort.allowed in error

    @pytest.mark.parametrize(
        ("key", "text"),
        [
            ("jobs.max_attempts", "many"),
            ("jobs.max_attempts", "1.5"),
            ("jobs.max_attempts", ""),
            ("routing.write", "nan"),
            ("routing.write", "1e999"),
            ("routing.write", "-0.1"),
            ("memory.enabled", "maybe"),
            ("triggers.quiet_gap", "3 minutes"),
            ("triggers.quiet_gap", "-3m"),
            ("jobs.lease", "never"),
            ("extraction.batch_tokens", "5-3"),
            ("extraction.batch_tokens", "a-b"),
            ("extraction.batch_tokens", "1-2-3"),
            ("context.sections.reply", "120%"),
            ("context.sections.reply", "0.5"),
            ("upkeep.daily", "queue,queue"),
            ("upkeep.daily", "queue,party"),
        ],
    )
    def test_wrong_variables(self, key: str, text: str) -> None:
        assert f"{key} = {text!r} (from environment {env_name(key)})" in mistake(
            env={env_name(key): text}
        )

    @pytest.mark.parametrize(
        ("said", "what"),
        [
            ({"ranking.weights.access": 0.5}, "add up to 1.48"),
            (
                {"routing.write": 0.3},
                "routing.pending = 0.6 (from built-in) and routing.write = 0.3",
            ),
            ({"capacity.knowledge": 9000}, "capacity.knowledge is at most capacity.knowledge_max"),
            ({"jobs.backoff_first": "2h"}, "jobs.backoff_first is at most jobs.backoff_max"),
            ({"decay": {"delete_below": 0.3, "demote_below": 0.2}}, "decay.delete_below"),
            ({"context.cut": ["core"]}, "both name core"),
            ({"context.sections": {"recent": "60%", "reply": "50%"}}, "add up to 110%"),
            (
                {"decay.slow": {"rate": 0.1, "half_life": "3d"}},
                "it was given before, in another way",
            ),
            (
                {"jobs.max_attempts": 3, "jobs": {"max_attempts": 3}},
                "it was given before, in another way",
            ),
            ({"jobs": 3}, "It takes a group of max_attempts"),
            ({"events.rules": [1]}, "It takes a table of names"),
            ({"events.rules": {"": {}}}, "names that are not empty"),
            ({"decay.slow.daily_loss": 1}, "leaves nothing after a day"),
            ({"preset": 5}, "There is no preset 5"),
        ],
    )
    def test_what_does_not_go_together(self, said: Any, what: str) -> None:
        assert what in mistake(overrides=said)

    @pytest.mark.parametrize(
        ("cron", "what"),
        [
            ("0 0 3 * * *", "leave out the seconds"),
            ("03:00", "has 1 fields"),
            ("60 3 * * *", "'60' where 0 to 59 belongs"),
            ("0 3 0 * *", "'0' where 1 to 31 belongs"),
            ("0 3 * 13 *", "'13' where 1 to 12 belongs"),
            ("0 3 * * 8", "'8' where 0 to 7 belongs"),
            ("0 3 * * $", "'$' where 0 to 7 belongs"),
        ],
    )
    def test_cron(self, cron: str, what: str) -> None:
        assert what in mistake(overrides={"schedule.daily": cron})

    def test_a_step_may_be_longer_than_the_range(self) -> None:
        assert (
            load(env={}, overrides={"schedule.daily": "*/90  3 * * *"}).schedule.daily
            == "*/90 3 * * *"
        )

    def test_presets(self) -> None:
        error = mistake(preset="opnakita")
        assert "There is no preset 'opnakita' (from arguments)" in error
        assert ", ".join(PRESETS) in error
        assert "MNEMIC_PRESET" in mistake(env={"MNEMIC_PRESET": "x"})
        assert "There is no preset '../presets/shiyi'" in mistake(preset="../presets/shiyi")

    def test_files(self, tmp_path: Path) -> None:
        file = tmp_path / "mnemic.toml"
        assert f"{file} cannot be read" in mistake(file=file)
        assert "cannot be read" in mistake(file=tmp_path)
        file.write_text("[jobs]\nmax_attempts = = 3\n", encoding="utf-8")
        assert "is not TOML" in mistake(file=file)
        assert "line 2" in mistake(file=file)
        file.write_bytes(b"[jobs]\nmax_attempts = 3 # \xff\n")
        assert "is not TOML" in mistake(file=file)
        file.write_text("\ufeff[jobs]\nmax_attempts = 3\n", encoding="utf-8")
        assert load(file=file, env={}).jobs.max_attempts == 3

    def test_addresses_carry_no_keys(self) -> None:
        for address in ("ftp://x", "example.org", "https://user:sk-1@example.org", "https://"):
            assert "model.base_url" in mistake(overrides={"model.base_url": address})

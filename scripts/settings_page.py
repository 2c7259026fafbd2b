"""docs/settings.md, written from the settings themselves.

python -m scripts.settings_page --write docs/settings.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mnemic.settings import group
from mnemic.settings.checks import value_at
from mnemic.settings.dump import as_mapping, plain
from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.layers import ALIASES, PRESETS, load, read_preset
from mnemic.settings.problems import ANY
from mnemic.settings.tree import Settings
from scripts.pages import put_out
from scripts.toml_text import toml_value

_INTRO = """# Settings

<!-- Written by `python -m scripts.settings_page`; a test compares the two. -->

Settings come in layers; the later one wins:

1. the defaults below, which are the `default` preset;
2. a preset: {presets};
3. a settings file in TOML or JSON, with the keys below: `[jobs]` and then `max_attempts = 5`;
4. environment variables: `MNEMIC_JOBS__MAX_ATTEMPTS=5`, two underscores for each dot;
5. arguments: `mnemic.open(jobs={{"max_attempts": 5}})`, or `jobs__max_attempts=5`.

The file can name its preset with `preset = "shiyi"` in the first line, the environment with
`MNEMIC_PRESET`; an argument wins over both.

The file is the one that `MNEMIC_CONFIG` names, else `mnemic.toml` beside the database. A file
beside a database that is not in the user's own data folder may have come with it: it may not name a
server (`base_url`) nor a folder outside of its own, and opening it says so. Set these in the
environment or as arguments, or name the file with `MNEMIC_CONFIG`.

A key that does not exist or a value that does not fit is an error that says where it stands and
what would be right. Durations are texts such as `"500ms"`, `"3m"`, `"24h"`, `"30d"`, `"1h30m"`, or
a number of seconds. In an environment variable a list is written `a,b`, a pair `3-5`. Keys are
masked wherever settings are shown.

Short names in the environment: {aliases}. {preset_aliases}

The last column of each table has the presets that differ.
"""


def markdown() -> str:
    """The whole page."""
    lines = [_intro()]
    presets = {name: load(name, env={}) for name in PRESETS}
    for name, field in Settings.fields.items():
        if field.group is not None:
            lines += _section(name, field.group, presets, 2)
    return "\n".join(lines).rstrip() + "\n"


def _intro() -> str:
    described = [f"[`{name}`](presets/{name}.md)" for name in PRESETS]
    own = {name: read_preset(name)[0].get("environment", {}) for name in PRESETS}
    return _INTRO.format(
        presets=", ".join(described),
        aliases=_pairs(ALIASES),
        preset_aliases=" ".join(
            f"With the `{name}` preset also {_pairs(names)}."
            for name, names in own.items()
            if names
        ),
    )


@cache
def read_sentences() -> dict[str, dict[str, str]]:
    """What each setting is for, by its class and its name."""
    sentences, section = dict[str, dict[str, str]](), dict[str, str]()
    text = Path(group.__file__).with_name("sentences.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            section = sentences[line.strip("[]")] = {}
        else:
            name, _, sentence = line.partition("\t")
            section[name] = sentence
    return sentences


def _pairs(names: Mapping[str, str]) -> str:
    return ", ".join(f"`{variable}` for `{key}`" for variable, key in names.items())


def _section(
    key: str, section: type[SettingsGroup], presets: Mapping[str, Settings], level: int
) -> Iterator[str]:
    yield f"{'#' * level} {key}\n"
    yield f"{(section.__doc__ or '').strip()}\n"
    sentences = read_sentences().get(section.__name__, {})
    rows = [_row(key, n, section, presets) for n, f in section.fields.items() if f.sort]
    if rows:
        yield "| setting | default | takes | meaning | presets |"
        yield "|---|---|---|---|---|"
        yield from rows
        yield ""
    for name, field in section.fields.items():
        if field.group is None:
            continue
        below = f"{key}.{name}"
        if field.table:
            yield from _table(below, field, sentences[name], presets, level + 1)
        else:
            yield from _section(below, field.group, presets, level + 1)


def _row(key: str, name: str, section: type[SettingsGroup], presets: Mapping[str, Settings]) -> str:
    field = section.fields[name]
    assert field.sort is not None
    takes = f"named entries, each: {field.sort.brief}" if field.table else field.sort.brief
    at = f"{key}.{name}"
    values = {preset: plain(field, value_at(settings, at)) for preset, settings in presets.items()}
    ours = values.pop("default")
    others = [
        f"{preset} {_spelled(preset, key, name, section) or _code(_different(value, ours))}"
        for preset, value in values.items()
        if value != ours
    ]
    meaning = read_sentences()[section.__name__][name]
    cells = (f"`{name}`", _code(ours), takes, meaning, "<br>".join(others))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _different(value: Any, ours: Any) -> Any:
    """Of a table only the entries that differ."""
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if ours.get(name) != item}


def _spelled(preset: str, key: str, name: str, section: type[SettingsGroup]) -> str:
    """The value in the other word the preset uses for it, if it does."""
    tree: Any = read_preset(preset)[1]
    for part in key.split("."):
        tree = tree.get(part, {})
    words = [word for word, (field, _) in section.spellings.items() if field == name]
    return "".join(f"`{word} = {toml_value(tree[word])}`" for word in words if word in tree)


def _table(
    key: str, field: Setting, meaning: str, presets: Mapping[str, Settings], level: int
) -> Iterator[str]:
    """What an entry holds, and the entries there are."""
    assert field.group is not None
    yield f"{'#' * level} {key}.{ANY}\n"
    yield f"{meaning}\n"
    yield "| setting | default | takes | meaning |"
    yield "|---|---|---|---|"
    sentences = read_sentences()[field.group.__name__]
    for name, inner in field.group.fields.items():
        assert inner.sort is not None
        default = _code(plain(inner, inner.default))
        yield f"| `{name}` | {default} | {inner.sort.brief} | {sentences[name]} |"
    yield ""
    ours = presets["default"]
    for preset, settings in presets.items():
        defaults = value_at(ours, key) if settings is not ours else {}
        for name, entry in value_at(settings, key).items():
            if defaults.get(name) != entry:
                values = as_mapping(entry)
                text = ", ".join(f"{k} = {toml_value(v)}" for k, v in values.items())
                yield f"- {preset}, `{name}`: `{text}`"
    yield ""


def _code(value: object) -> str:
    if isinstance(value, dict):
        return (
            "<br>".join(f"`{name} = {toml_value(item)}`" for name, item in value.items()) or "none"
        )
    return f"`{toml_value(value)}`"


if __name__ == "__main__":
    put_out(markdown())

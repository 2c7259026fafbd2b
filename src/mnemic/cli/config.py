"""mnemic config"""

from __future__ import annotations

import json
from typing import Any

from mnemic.cli.output import GAP, answer, cells, cut, dim, emit, pad, say, table, terminal_width
from mnemic.cli.state import State
from mnemic.errors import NotFound
from mnemic.settings import PRESETS, Settings, ValueOrigin
from mnemic.settings.dump import as_flat
from mnemic.settings.layers import read_preset
from mnemic.settings.problems import env_name


def config(state: State, key: str | None, explain: bool, changed: bool, presets: bool) -> None:
    if presets:
        listed = [{"name": name, **read_preset(name)[0]} for name in PRESETS]
        titles = [(preset["name"], preset.get("title", "")) for preset in listed]
        return answer(listed, lambda: table(("preset", "from"), titles))
    settings = state.settings()
    values = _choose(settings, key)
    origins = {name: origin_of(settings, name) for name in values}
    if changed:
        values = {n: value for n, value in values.items() if origins[n].layer != "built-in"}
    if state.json:
        rows = [
            {"key": n, "value": v, **({"from": origins[n]._asdict()} if explain else {})}
            for n, v in values.items()
        ]
        explained = {row.pop("key"): row for row in map(dict, rows)}
        emit(explained if explain else values, rows=rows)
    elif key in values and not explain:
        value = values[key]
        say(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    else:
        _list(values, origins if explain else None)


def _choose(settings: Settings, key: str | None) -> dict[str, Any]:
    """The settings of this name or group."""
    everything = as_flat(settings)
    if key is None:
        return everything
    chosen = {n: v for n, v in everything.items() if n == key or n.startswith(f"{key}.")}
    if not chosen:
        from difflib import get_close_matches

        groups = list(type(settings).fields)
        near = get_close_matches(key, [*everything, *groups], n=3, cutoff=0.5)
        remedy = f"Did you mean {' or '.join(near)}?" if near else f"Groups: {', '.join(groups)}"
        raise NotFound(f"There is no setting {key!r}", remedy=remedy)
    return chosen


def origin_of(settings: Settings, key: str) -> ValueOrigin:
    """The layer of a key; a part of a structured value has the origin of the whole."""
    while key not in settings.origins and "." in key:
        key = key.rpartition(".")[0]
    return settings.origins.get(key, ValueOrigin("built-in"))


def _list(values: dict[str, Any], origins: dict[str, ValueOrigin] | None) -> None:
    lines = {key: f"{key} = {json.dumps(v, ensure_ascii=False)}" for key, v in values.items()}
    wide = min(60, max((cells(line) for line in lines.values()), default=0))
    for key, line in lines.items():
        if origins is None:
            say(line)
        else:
            width = terminal_width() and wide
            say(pad(cut(line, width), wide) + GAP + dim(f"# {_place(origins[key], key)}"))


def _place(origin: ValueOrigin, key: str) -> str:
    is_default_name = origin.layer == "environment" and origin.source == env_name(key)
    return origin.layer if is_default_name else str(origin)

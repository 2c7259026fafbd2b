"""Layering: built-in defaults, preset, file, environment, arguments; the later one wins.

Every layer is checked on its own and every mistake of all layers is reported at once, with its
place and the right spelling. Nothing unknown is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mnemic.errors import ConfigError
from mnemic.settings.merge import Merge, Raw
from mnemic.settings.names import imply, read_rules, translate, workspace
from mnemic.settings.problems import PREFIX
from mnemic.settings.tree import Settings
from mnemic.settings.values import ValueOrigin

if TYPE_CHECKING:
    from pathlib import Path

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")

# Short names for what is set most often; a full name beside one wins over it.
ALIASES = {
    "MNEMIC_ENABLED": "memory.enabled",
    "MNEMIC_LANGUAGE": "memory.language",
    "MNEMIC_MODEL": "model.name",
    "MNEMIC_API_KEY": "model.api_key",
    "MNEMIC_BASE_URL": "model.base_url",
}
# Variables of ours that are not settings.
RESERVED = frozenset(
    PREFIX + name
    for name in """AUDIENCE CACHE CONFIG DB FILES ISSUER KEY NEW_KEY PRESET SPACE SYNC_PASSPHRASE
    TOKEN TORTURE""".split()
)
RESERVED_PREFIX = PREFIX + "TEST_"

_DATA = "data"  # the folder of a database below that of its system, as in document D §10.2
_AGENT_FILES = ("AGENTS.md", "SOUL.md")

Variables = dict[str, tuple[list[str], str]]


def load(
    preset: str | None = None,
    *,
    file: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    overrides: Raw | None = None,
    is_found: bool = False,
    folder: Path | None = None,
) -> Settings:
    """Settings from all layers.

    ``preset``: one of ``PRESETS``; without it the environment or the file may name one.
    ``file``: in TOML or JSON; see ``find_file``. ``env``: the process environment unless given.
    ``overrides``: nested mappings, or keys such as ``jobs.max_attempts`` or ``jobs__max_attempts``.
    ``is_found``: nobody named the file, so it may neither name a server nor leave its folder.
    ``folder``: that of the database, where the preset's own system may have its files.
    """
    env = os.environ if env is None else env
    overrides = dict(overrides or {})
    written = dict(_read_file(file)) if file is not None else {}
    name, chosen = _choose_preset(preset, overrides, env, (written, file))
    about, numbers = read_preset(name)
    merge = Merge()
    merge.add(numbers, ValueOrigin("preset", name))
    if "workspace" in about and (place := _find_workspace(folder)):
        merge.add(workspace(about, str(place)), ValueOrigin("preset", name), split=True)
    if file is not None:
        origin = ValueOrigin("file", os.fspath(file))
        merge.add(translate(read_rules(written), about), origin, is_found=is_found)
    merge.add_variables(_variables(env, about.get("environment", {})))
    merge.add_variables(_variables(env, ALIASES))
    merge.add_variables(_full_names(env))
    overrides = translate(read_rules(overrides), about, split=True)
    merge.add(overrides, ValueOrigin("arguments"), split=True)
    settings = merge.settings(name, chosen)
    if meant := imply(about, settings):
        merge.add(meant, ValueOrigin("preset", name))
        settings = merge.settings(name, chosen)
    return settings


def load_beside(
    folder: Path | None, preset: str | None, overrides: Raw, *, is_own: bool = False
) -> Settings:
    """The settings of a database in that folder, where a settings file may stand. One that a person
    named, or that ``is_own``, says what it likes; any other came with the database.
    """
    candidates = [] if folder is None else [folder / name for name in file_of(preset)]
    if folder is not None and folder.name == _DATA:
        candidates += [folder.parent / name for name in file_of(preset)[1:]]
    file = find_file(*candidates)
    named = file is None or bool(os.environ.get(PREFIX + "CONFIG"))
    is_found = folder is not None and not (named or is_own or _is_data_folder(folder))
    return load(preset, file=file, overrides=overrides, is_found=is_found, folder=folder)


def _find_workspace(folder: Path | None) -> Path | None:
    """The workspace of the preset's system: beside the database, or its own folder."""
    if folder is None or (folder / "documents").is_dir():
        return None
    beside = (folder.parent if folder.name == _DATA else folder) / "workspace"
    if beside.is_dir():
        return beside
    return folder if any((folder / name).is_file() for name in _AGENT_FILES) else None


def _is_data_folder(folder: Path) -> bool:
    """Whether it is the one that is used when nobody names a database, or inside of it."""
    import platformdirs

    return platformdirs.user_data_path("mnemic", appauthor=False) in (folder, *folder.parents)


def find_file(
    *candidates: str | os.PathLike[str], env: Mapping[str, str] | None = None
) -> str | None:
    """The settings file: what ``MNEMIC_CONFIG`` names, else the first candidate that exists."""
    named = (os.environ if env is None else env).get(PREFIX + "CONFIG")
    if named:
        return named
    from pathlib import Path

    def is_file(path: str | os.PathLike[str]) -> bool:
        try:
            return Path(path).is_file()
        except OSError:  # a folder that cannot be looked into holds no settings for us
            return False

    return next((os.fspath(path) for path in candidates if is_file(path)), None)


@cache
def read_preset(name: str) -> tuple[Raw, Raw]:
    """What a preset says about itself, and its settings."""
    from pathlib import Path

    path = Path(__file__).parent / "presets" / f"{name}.toml"
    settings = _parse(path.read_bytes(), f"The preset {name}")
    return settings.pop("about", {}), settings


def _choose_preset(
    preset: str | None,
    overrides: dict[str, Any],
    env: Mapping[str, str],
    written: tuple[dict[str, Any], object],
) -> tuple[str, ValueOrigin]:
    """The preset that is asked for, by the strongest layer that names one."""
    tree, file = written
    named: list[tuple[object, ValueOrigin]] = [
        (preset, ValueOrigin("arguments")),
        (overrides.pop("preset", None), ValueOrigin("arguments")),
        (env.get(PREFIX + "PRESET"), ValueOrigin("environment", PREFIX + "PRESET")),
        (tree.pop("preset", None), ValueOrigin("file", str(file))),
    ]
    usual = ("default", ValueOrigin("built-in"))
    name, origin = next((entry for entry in named if entry[0] is not None), usual)
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(
            f"There is no preset {name!r:.60} (from {origin})",
            remedy=f"The presets are {', '.join(PRESETS)}",
        )
    return name, origin


def file_of(preset: str | None) -> tuple[str, ...]:
    """The names of settings files beside the database: ours, and that of the preset's system."""
    chosen = preset or os.environ.get(PREFIX + "PRESET")
    name = read_preset(chosen)[0].get("file") if chosen in PRESETS else None
    return ("mnemic.toml",) if name is None else ("mnemic.toml", str(name))


def _read_file(file: str | os.PathLike[str]) -> dict[str, Any]:
    from pathlib import Path

    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The settings file {os.fspath(file)} cannot be read: {error.strerror}",
            remedy="Create it, or name another one",
        ) from error
    name = f"The settings file {os.fspath(file)}"
    return _parse(data, name, "JSON" if os.fspath(file).endswith(".json") else "TOML")


def _parse(data: bytes, name: str, form: str = "TOML") -> dict[str, Any]:
    """The tables of a file in TOML or JSON."""
    reader = import_module("json" if form == "JSON" else "tomllib")
    try:
        tree = reader.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # also of numbers that Python does not read
        raise ConfigError(f"{name} is not {form}: {error}", remedy="Correct that place") from error
    if not isinstance(tree, dict):
        raise ConfigError(f"{name} is not a JSON object", remedy="Put it into braces")
    return tree


def _variables(env: Mapping[str, str], aliases: Mapping[str, str]) -> Variables:
    return {name: (key.split("."), env[name]) for name, key in aliases.items() if name in env}


def _full_names(env: Mapping[str, str]) -> Variables:
    return {
        name: (name.removeprefix(PREFIX).lower().split("__"), env[name])
        for name in sorted(env)
        if name.startswith(PREFIX)
        and name not in RESERVED
        and name not in ALIASES
        and not name.startswith(RESERVED_PREFIX)
    }

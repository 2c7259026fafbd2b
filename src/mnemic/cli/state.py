"""The options of every command, and the mind they open."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mnemic.cli.phrases import Language, choose_language
from mnemic.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind
    from mnemic.engine.open import Engine
    from mnemic.settings import Settings


Output = Literal["", "json", "ndjson", "csv"]
_NAMING = ("MNEMIC_CONFIG", "MNEMIC_LANGUAGE", "MNEMIC_MEMORY__LANGUAGE")


@dataclass
class State:
    """The options of every command; one given after the command's name wins."""

    db: str | None = None
    space: str | None = None
    preset: str | None = None
    overrides: dict[str, str] = field(default_factory=dict)
    output: Output = ""
    plain: bool = False

    @property
    def json(self) -> bool:
        """Whether the output is for programs; ``emit`` knows in which format."""
        return self.output != ""

    def open(self, *, create: bool = False, **extra: Any) -> Mind:
        """The mind these options name. Only a command that writes makes a new file."""
        from mnemic.engine.open import open as open_mind

        path = self.path(create=create)
        return open_mind(path, space=self.space_name, **{**self._options(), **extra})

    def connect(self, *, create: bool = False, **extra: Any) -> Engine:
        """The whole database these options name."""
        from mnemic.engine.open import connect

        return connect(self.path(create=create), **{**self._options(), **extra})

    @property
    def space_name(self) -> str:
        return self.space or os.environ.get("MNEMIC_SPACE") or "default"

    def _options(self) -> dict[str, Any]:
        return {"worker": "none", "preset": self.preset, **self.setting_overrides()}

    def path(self, *, create: bool) -> str:
        """The database these options name; one that is not there only where it may be made."""
        from mnemic.engine.open import database_path

        path = database_path(self.db)
        there = path == ":memory:" or "://" in path or os.path.exists(path)  # noqa: PTH110
        if not (create or there):
            raise NotFound(
                f"There is no memory at {path} yet",
                remedy="Name another one with --db, or begin: mnemic record --session first hi",
            )
        return path

    @property
    def language(self) -> Language:
        """Of what is printed: programs read English, people their own language."""
        return "en" if self.json else self._language

    @cached_property
    def _language(self) -> Language:
        """Of the setting memory.language, else of the locale where the terminal can show it."""
        setting = "auto"
        # Only then there may be more to read than the default, which takes a while to load.
        if "memory.language" in self.overrides or any(name in os.environ for name in _NAMING):
            with suppress(ConfigError):
                setting = self.settings().memory.language
        spoken = choose_language(setting, os.environ)
        return spoken if setting == spoken or _shows_chinese() else "en"

    def settings(self) -> Settings:
        """The settings of these options, without a database."""
        from mnemic.settings import find_file, load

        return load(self.preset, file=find_file(), overrides=self.setting_overrides())

    def setting_overrides(self) -> Mapping[str, Any]:
        """The settings of ``--set``."""
        if not self.overrides:
            return {}
        # Read like an environment variable: the key decides whether "5" is a number or a text.
        from mnemic.settings.merge import Text

        return {key: Text(value) for key, value in self.overrides.items()}


def _shows_chinese() -> bool:
    try:
        "中".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True

"""mnemic encrypt"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from mnemic.cli.base import command
from mnemic.cli.output import answer, say, size
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State
from mnemic.errors import ConfigError


@command("encrypt")
def encrypt(state: State, file: str | None, new_key_file: Path | None, *, decrypt: bool) -> None:
    """Encrypt a database, give it another key, or decrypt it.

    The key that a database has comes from MNEMIC_KEY or the setting store.key_file, the new one
    from --new-key-file or MNEMIC_NEW_KEY; what is missing is asked for. The database stays whole
    until the new one, checked, takes its place; no program may have it open. Without its key nobody
    can read it again: keep a copy of the key.
    """
    from mnemic.moving.backup import settings_beside
    from mnemic.moving.encryption import is_encrypted, key_of_file, set_key

    state.db = file or state.db
    path = Path(state.path(create=False))
    if "://" in str(state.db):
        raise ConfigError("Only a file has a key", remedy="Encrypt the disk of the server")
    named = settings_beside(path, state.preset, state.setting_overrides()).store.key_file
    key = os.environ.get("MNEMIC_KEY") or (
        key_of_file(path.parent / Path(named).expanduser()) if named else ""
    )
    new = "" if is_encrypted(str(path)) else key
    if is_encrypted(str(path)) or decrypt:
        key = key or _ask(phrase("Key"))
    if new_key_file is not None:
        new = key_of_file(new_key_file, make=True)
    if not decrypt:
        new = new or os.environ.get("MNEMIC_NEW_KEY") or _ask(phrase("New key"), twice=True)
    made = set_key(path, None if decrypt else new, key=key if is_encrypted(str(path)) else None)
    done = phrase("no longer encrypted") if decrypt else phrase("encrypted")
    line = phrase("{path}: {done}, {size}.", path=made.path, done=done, size=size(made.bytes))
    answer(made, lambda: say(line))


def _ask(label: str, *, twice: bool = False) -> str:
    try:
        typed: str = click.prompt(label, hide_input=True, confirmation_prompt=twice, err=True)
    except click.Abort as error:
        if sys.stdin.isatty():
            raise
        raise ConfigError(
            "There is no terminal to ask for a key on",
            remedy="Set MNEMIC_KEY and MNEMIC_NEW_KEY, or pass --new-key-file",
        ) from error
    return typed

"""The key of an encrypted file, and how such a file is told from others.

SQLite3 Multiple Ciphers seals every page (ChaCha20-Poly1305) before it goes to the file, its logs
or a temporary file. Deriving a key from a passphrase is slow on purpose, so that is done here, once
for each process and file, and connections are given the derived key. A file begins with its salt.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from functools import lru_cache
from pathlib import Path

from mnemic.errors import InvalidInput, WrongKey
from mnemic.store.new_file import read_key_file

VARIABLE = "MNEMIC_KEY"
CIPHER = "chacha20"
MAGIC = b"SQLite format 3\x00"
_HEX = "hex:"
_KEY = 32  # bytes
_SALT = 16
# What stays readable of an encrypted header: the bytes reserved on each page, and three fractions
# that are the same in every database.
_RESERVED = slice(20, 24)
_SEALED = b"\x20\x40\x20\x20"


class FileKey:
    """A passphrase, or 32 bytes as they are. It never shows itself."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str | bytes) -> None:
        if isinstance(secret, str) and secret.startswith(_HEX):
            try:
                secret = bytes.fromhex(secret.removeprefix(_HEX))
            except ValueError:
                secret = b""
        if not secret or (isinstance(secret, bytes) and len(secret) != _KEY):
            raise InvalidInput(
                "This cannot be the key of a database",
                remedy=f"Give a passphrase, {_KEY} bytes, or {_HEX} and {2 * _KEY} digits",
            )
        self._secret = secret

    def for_file(self, path: str) -> str:
        """The key as SQLite takes it, for a file that exists or is about to be made."""
        salt = _beginning(path)[:_SALT]
        if len(salt) < _SALT:
            salt = secrets.token_bytes(_SALT)
        secret = self._secret
        key = secret if isinstance(secret, bytes) else _derive(secret, salt)
        return f"raw:{(key + salt).hex()}"


@lru_cache(maxsize=64)
def _derive(phrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(phrase.encode(), salt=salt, n=2**14, r=8, p=1, dklen=_KEY)


def new_key() -> str:
    """A random key, as it is written into a key file."""
    return _HEX + secrets.token_hex(_KEY)


def choose_key(given: str | bytes | None, key_file: Path | None) -> FileKey | None:
    """The key of a call, else of the environment, else of a key file."""
    if given is None:
        given = os.environ.get(VARIABLE) or None
    if given is None and key_file is not None:
        given = read_key_file(key_file)
    return None if given is None else FileKey(given)


def key_for(path: str, key: FileKey | None) -> FileKey | None:
    """The key where a file needs one: a plain file is taken as it is, a new one is encrypted."""
    return None if _beginning(path).startswith(MAGIC) else key


def is_encrypted(path: str) -> bool:
    """Whether a file looks like a database that was encrypted here."""
    beginning = _beginning(path)
    return not beginning.startswith(MAGIC) and beginning[_RESERVED] == _SEALED


def check_key(path: str, key: FileKey | None) -> None:
    """Raise where a file and a key cannot belong together; whether it opens it, SQLite says."""
    if key is None and is_encrypted(path):
        raise WrongKey(
            f"{path} is encrypted, and no key was given",
            remedy=f"Give it with key=, {VARIABLE} or the setting store.key_file",
        )
    if key is not None and key_for(path, key) is None:
        raise WrongKey(
            f"{path} is not encrypted, but a key was given",
            remedy="Encrypt it with `mnemic encrypt`, or open it without a key",
        )


def _beginning(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(_RESERVED.stop)
    except OSError:
        return b""  # whoever opens it says what is wrong

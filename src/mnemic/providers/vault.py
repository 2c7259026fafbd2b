"""The vault: seals the text of a credential into an envelope that only its key opens.

AES-256-GCM under a key that scrypt derives from the `secrets.key` setting, or else from a key file
that is made beside the database when the first credential is kept.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Any

from mnemic.errors import ConfigError, InvalidInput
from mnemic.language.secrets.envelope import ENVELOPE, is_sealed
from mnemic.providers.extras import load
from mnemic.store.new_file import make_key_file, read_key_file

_EXTRA = "secrets"
_SALT = 16
_NONCE = 12
_KEY = 32


class Vault:
    """Seals and opens; without a key and without a file the key lives as long as the process."""

    def __init__(self, key: str = "", key_file: Path | None = None) -> None:
        self._key = key
        self._file = key_file
        self._salt = secrets.token_bytes(_SALT)

    def seal(self, text: str) -> str:
        """An envelope of the text, another one each time."""
        cipher = _cipher(self._phrase(make=True), self._salt)
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._salt + nonce + cipher.encrypt(nonce, text.encode(), None)
        return ENVELOPE + base64.urlsafe_b64encode(sealed).decode()

    def open(self, envelope: str) -> str:
        """The text of an envelope; ConfigError when the key is another one."""
        if not is_sealed(envelope):
            raise InvalidInput("This is not sealed", remedy="Only a credential can be revealed")
        try:
            sealed = base64.b64decode(envelope[len(ENVELOPE) :], altchars=b"-_", validate=True)
        except binascii.Error as error:
            raise self._wrong() from error
        salt, nonce = sealed[:_SALT], sealed[_SALT : _SALT + _NONCE]
        if len(nonce) < _NONCE:
            raise self._wrong()
        cipher = _cipher(self._phrase(make=False), salt)
        try:
            text: bytes = cipher.decrypt(nonce, sealed[_SALT + _NONCE :], None)
        except load(_EXTRA, "cryptography.exceptions").InvalidTag as error:
            raise self._wrong() from error
        return text.decode()

    def _wrong(self) -> ConfigError:
        place = "secrets.key" if self._key or self._file is None else str(self._file)
        return ConfigError(
            "The key does not open this credential: it was sealed with another, or is damaged",
            remedy=f"Put the key it was sealed with into {place}",
        )

    def _phrase(self, *, make: bool) -> str:
        if self._key:
            return self._key
        if self._file is None:
            self._key = _new_key()
            return self._key
        if not self._file.exists():
            if not make:
                raise ConfigError(
                    f"The key file {self._file} is gone",
                    remedy="Put it back from a backup, or set secrets.key",
                )
            make_key_file(self._file, _new_key())
        return read_key_file(self._file)


def _new_key() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY)).decode()


@lru_cache(maxsize=64)  # the derivation is slow on purpose
def _cipher(phrase: str, salt: bytes) -> Any:
    ciphers = load(_EXTRA, "cryptography.hazmat.primitives.ciphers.aead")
    scrypt = load(_EXTRA, "cryptography.hazmat.primitives.kdf.scrypt").Scrypt
    return ciphers.AESGCM(scrypt(salt, _KEY, n=2**14, r=8, p=1).derive(phrase.encode()))

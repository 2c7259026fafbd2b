"""Optional dependencies: imported when used; an error names how to install a missing one. Also the
certificates by which servers are known.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from mnemic import late
from mnemic.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    import ssl

    from mnemic.settings.environment import ChatSettings, EmbeddingSettings, ModelSettings


def require(extra: str, *modules: str) -> None:
    """Raise for what is not installed, without importing anything."""
    for module in modules:
        if late.find(module) is None:
            raise MissingExtra.of(module, extra)


def require_key(section: str, group: ChatSettings | ModelSettings | EmbeddingSettings) -> None:
    """Raise without a key; one's own server at one's own address may want none."""
    if not group.base_url and not group.api_key:
        raise ConfigError(
            f"{section}.provider is {group.provider} and there is no key",
            remedy=f"Set {section}.api_key, or"
            f" MNEMIC_{section.upper()}__API_KEY in the environment",
        )


def load(extra: str, module: str) -> ModuleType:
    """Import a part that comes with an extra."""
    try:
        return late.load(module)
    except ImportError as error:
        raise MissingExtra.of(module, extra) from error


@cache
def certificates() -> ssl.SSLContext:
    """As httpx reads them (SSL_CERT_FILE, SSL_CERT_DIR), which it would for each client again."""
    import httpx

    return httpx.create_ssl_context()

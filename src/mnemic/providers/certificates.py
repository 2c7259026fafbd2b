"""The certificates by which servers are known, read once for all clients of a process."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def certificates() -> ssl.SSLContext:
    """As httpx reads them (SSL_CERT_FILE, SSL_CERT_DIR), which it would for each client again."""
    import httpx

    return httpx.create_ssl_context()

"""A PgBouncer of the tests' own in front of their server, in transaction mode.

No package of Python carries it: it is taken from the PATH, and on a Debian where the tests may
install something it is installed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.postgres.server import connect
from tests.waiting import wait_for

_SERVERS = 3  # connections that all clients share


@functools.cache
def _program() -> str:
    places = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    found = shutil.which("pgbouncer", path=places)
    apt = shutil.which("apt-get")
    if found is None and apt is not None and sys.platform == "linux" and os.geteuid() == 0:
        subprocess.run([apt, "install", "-y", "-q", "pgbouncer"], check=False)
        found = shutil.which("pgbouncer", path=places)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("pgbouncer is not installed")
        pytest.skip("pgbouncer is not installed, and cannot be installed by pip")
    return found


@contextlib.contextmanager
def pooled(url: str, *, mode: str = "transaction", servers: int = _SERVERS) -> Iterator[str]:
    """The address of the same database by way of a pooler."""
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query)["host"][0]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="mnemic-pooler-") as folder:
        Path(folder).chmod(0o755)
        settings = Path(folder) / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={host} port={parts.port or 5432} user=postgres\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = {mode}\ndefault_pool_size = {servers}\n"
            "max_client_conn = 500\nserver_round_robin = 1\n"
        )
        # Not as root, which it refuses, but as whoever the server runs as.
        user = Path(host).stat().st_uid if os.geteuid() == 0 else None
        process = subprocess.Popen([_program(), "-q", str(settings)], user=user)
        try:
            address = f"postgresql://postgres@127.0.0.1:{port}{parts.path}"
            wait_for(lambda: _answers(address))
            yield address
        finally:
            process.terminate()
            process.wait(20)


def _answers(address: str) -> bool:
    import psycopg

    try:
        connect(address).close()
    except psycopg.OperationalError:
        return False
    return True

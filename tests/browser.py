"""The Chromium that tests look at pages with: the machine's, or one that is installed for them."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 600  # seconds for one way of installing it


@functools.cache
def executable() -> str | None:
    """Its path; None for the one that Playwright brought."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def install() -> None:
    """Have one by Playwright, else by the system's packages; several processes ask only once."""
    with (Path(tempfile.gettempdir()) / "mnemic-browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _run(sys.executable, "-m", "playwright", "install", "chromium"):
            return
        if os.geteuid() == 0 and shutil.which("apt-get") and not executable():
            _run("apt-get", "update", "-qq")
            _run("apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium")
        executable.cache_clear()


def _run(*command: str) -> bool:
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=_PATIENCE, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

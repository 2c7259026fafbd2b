"""What is outside of a person's environment: servers of models and of memories."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SAID = re.compile(r"(http://\S+)\n.*?(mnm_\S+)\n", re.S)


@contextmanager
def service(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a service on an empty database, and a token for it."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "mnemic", "serve", "--port", "0", "--db", "served.db"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        said = ""
        while (found := _SAID.search(said)) is None:
            line = running.stdout.readline()
            assert line, f"the service ended: {said}"
            said += line
        try:
            yield found[1], found[2]
        finally:
            running.terminate()
            running.wait(30)

"""A peer's program, asked over its pipes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from threading import Timer
from typing import Any, Self

from bench.banks import Item
from bench.compare.environments import ROOT, CannotRun, Environments
from bench.compare.peers import Peer
from bench.compare.vectors import MODEL

_PATIENCE = 3600.0  # seconds for one reply
# One thread each, nothing downloaded, nothing reported: peers differ in what they do by default.
_SAME_FOR_ALL = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
}


class PeerProcess:
    """Starts the program in a home of its own; every call may raise CannotRun."""

    def __init__(self, peer: Peer, environments: Environments) -> None:
        python = environments.python_of(peer)
        given = {MODEL: str(environments.model())} if peer.vectors else {}
        self._home = tempfile.TemporaryDirectory(prefix="compare-", ignore_cleanup_errors=True)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self._process = subprocess.Popen(
            [str(python), "-m", peer.module],
            cwd=ROOT,
            env={**os.environ, **_SAME_FOR_ALL, **given, "HOME": self._home.name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )
        try:
            self.version: str = self._reply()["version"]
        except CannotRun:
            self.close()
            raise

    def add(self, items: Sequence[Item]) -> float:
        """Begin a fresh memory with these; the processor seconds."""
        seconds: float = self._ask(add=[asdict(item) for item in items])["seconds"]
        return seconds

    def search(self, query: str, limit: int) -> tuple[list[tuple[str, float]], float]:
        """Ids with scores, and the processor seconds."""
        reply = self._ask(search=query, limit=limit)
        return [(id_, score) for id_, score in reply["found"]], reply["seconds"]

    def end_memory(self) -> None:
        self._ask(close=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()
        self._home.cleanup()

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        alarm = Timer(_PATIENCE, self._process.kill)
        alarm.start()
        try:
            line = self._process.stdout.readline()
        finally:
            alarm.cancel()
        if not line:
            raise self._failure()
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _failure(self) -> CannotRun:
        """What the program said last."""
        code = self._process.wait()
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        return CannotRun(lines[-1] if lines else f"ended with {code}")

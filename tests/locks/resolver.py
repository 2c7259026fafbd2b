"""uv, cut off from every configuration of the machine it runs on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.locks.lockfile import ROOT, Lock, PackageFile
from tests.locks.targets import MACOS, Target

COMPILE = (
    # Named, or uv tries every Python it finds.
    *("pip", "compile", "--python", sys.executable),
    *("--no-sources", "--no-header", "--no-annotate", "--no-emit-index-url"),
)
# For every platform and every Python from the first supported one on, with one version of a package
# for all of them where there is one: what is tested and typed on one target holds on the others.
UNIVERSAL = ("--universal", "--python-version", "3.11", "--fork-strategy", "fewest")


class ResolverError(Exception):
    """uv found no answer; its message says why."""


def public_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what names an index, a folder of wheels or a configuration file."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.upper().startswith(("PIP_", "UV_"))
    }
    return kept | {"MACOSX_DEPLOYMENT_TARGET": ".".join(map(str, MACOS))}


def command(arguments: Sequence[str | Path]) -> list[str]:
    """Without configuration uv asks the public index and no other."""
    uv = Path(sys.executable).with_name("uv")
    return [str(uv), "--quiet", "--no-config", *map(str, arguments)]


def run(arguments: Sequence[str | Path]) -> None:
    done = subprocess.run(
        command(arguments),
        cwd=ROOT,
        env=public_environment(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ResolverError(done.stderr.strip())


def compile_lock(lock: Lock, output: Path, constraints: Sequence[Path]) -> None:
    """Pins with the hashes of all files of the public index.

    Versions that ``output`` already names are kept while they fit.
    """
    run(
        [
            *COMPILE,
            *UNIVERSAL,
            "--generate-hashes",
            *lock.source_arguments,
            *(part for path in constraints for part in ("--constraints", path)),
            *("--output-file", output),
        ]
    )


def published_files(lock: Lock, pins: Path, output: Path) -> list[PackageFile]:
    """Every file of the pinned releases on the public index."""
    run(
        [
            *COMPILE,
            *UNIVERSAL,
            *lock.source_arguments,
            *("--constraints", pins),
            *("--output-file", output),
        ]
    )
    return list(_files(output))


def resolve(lock: Lock, target: Target, pins: Path) -> list[PackageFile]:
    """The wheels that fit a target, with the hashes of the public index: of what the lock and
    pyproject.toml name, and of all they depend on."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pylock.toml"
        run(
            [
                *COMPILE,
                *("--only-binary", ":all:"),
                *("--python-platform", target.platform.uv_platform),
                *("--python-version", target.python_version),
                *lock.source_arguments,
                pins,
                *("--output-file", output),
            ]
        )
        return list(_files(output))


def install(lock_path: Path, target: Target) -> None:
    """Download what a target installs, comparing every hash, into a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        run(
            [
                *("pip", "install", "--require-hashes", "--only-binary", ":all:"),
                *("--python-platform", target.platform.uv_platform),
                *("--python-version", target.python_version),
                *("--python", sys.executable, "--target", folder),
                *("--requirement", lock_path),
            ]
        )


def _files(pylock: Path) -> Iterator[PackageFile]:
    """The files a pylock.toml names; where they lie is left out."""
    packages: list[dict[str, Any]] = tomllib.loads(pylock.read_text(encoding="utf-8"))["packages"]
    for package in packages:
        archives = [package["sdist"]] if "sdist" in package else []
        for archive in (*package.get("wheels", ()), *archives):
            filename = unquote(urlsplit(archive["url"]).path.rpartition("/")[2])
            yield PackageFile.named(filename, archive["hashes"]["sha256"])

"""Environments as a person has them after installing: Python, Mnemic, and nothing by chance."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
# Nothing of whoever runs the checks reaches the environment, but for what finds packages.
_KEPT = ("PIP_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "LANG", "LC_", "TMPDIR", "USER")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def variables(self, home: Path, **more: str) -> dict[str, str]:
        """The variables of a shell in which it is activated, at the home of a new person."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
        path = f"{self.folder / 'bin'}{os.pathsep}/usr/local/bin:/usr/bin:/bin"
        return {**kept, "HOME": str(home), "PATH": path, "VIRTUAL_ENV": str(self.folder), **more}

    def run(
        self, *command: str, folder: Path, more: Mapping[str, str] | None = None, timeout: int = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in a folder that is a home as well."""
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=folder,
            env=self.variables(folder, **(more or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )


def core_environment(folder: Path) -> Environment:
    """The checkout with the dependencies of the package alone, made from what is installed here.

    Takes well under a second, and needs no network: the packages are links.
    """
    venv.create(folder, symlinks=True, with_pip=False)
    inside = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=inside))
    for found in _with_dependencies("mnemic"):
        for name in {file.parts[0] for file in found.files or () if ".." not in file.parts}:
            target = Path(str(found.locate_file(name)))
            if name != "__pycache__" and not (packages / name).exists():
                (packages / name).symlink_to(target)
    (packages / "mnemic.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    _program(folder / "bin" / "mnemic", "-m mnemic")
    _program(folder / "bin" / "pip", "-c pass")  # what it would install is not here to be had
    return Environment(folder)


def _program(path: Path, runs: str) -> None:
    path.write_text(f'#!/bin/sh\nexec "{path.with_name("python")}" {runs} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def _with_dependencies(name: str, seen: set[str] | None = None) -> list[Distribution]:
    """What a package needs without its extras, and what that needs; not the package itself."""
    seen = {name} if seen is None else seen
    needed: list[Distribution] = []
    for line in distribution(name).requires or ():
        wanted = Requirement(line)
        if wanted.name in seen or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        seen.add(wanted.name)
        needed += [distribution(wanted.name), *_with_dependencies(wanted.name, seen)]
    return needed


def build(folder: Path) -> Path:
    """The wheel of the checkout, made from its source distribution as a packager would."""
    tool = new_environment(folder / "builder", ["build"])
    done = tool.run(
        "python", "-m", "build", "--outdir", str(folder / "dist"), str(ROOT), folder=folder
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def new_environment(
    folder: Path, packages: Sequence[str], python: str = sys.executable
) -> Environment:
    """An environment with these packages, fetched as pip is set up to."""
    made = Environment(folder)
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    if packages:
        done = made.run(
            "pip", "install", "-q", "--no-compile", *packages, folder=folder, timeout=1_800
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
    return made

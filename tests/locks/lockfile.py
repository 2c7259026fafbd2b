"""Lock files, and the list of the files whose hashes they hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "requirements"
# The format of `sha256sum`: a hash, two spaces, the name of a file.
FILE_LIST = FOLDER / "files.sha256"


@dataclass(frozen=True)
class Lock:
    """A lock file and what of pyproject.toml it pins."""

    name: str
    project: bool = False
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    # A lock whose versions this one shares.
    base: str | None = None

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.txt"

    @property
    def source_arguments(self) -> tuple[str, ...]:
        """What is pinned, as arguments of `uv pip compile`."""
        return (
            *(("pyproject.toml",) if self.project else ()),
            *(part for extra in self.extras for part in ("--extra", extra)),
            *(part for group in self.groups for part in ("--group", group)),
        )

    def requirements(self, pyproject: dict[str, Any]) -> list[Requirement]:
        """What is pinned, as pyproject.toml asks for it."""
        project = pyproject["project"]
        lines: list[str] = [
            *(project["dependencies"] if self.project else ()),
            *(line for extra in self.extras for line in project["optional-dependencies"][extra]),
            *(line for group in self.groups for line in pyproject["dependency-groups"][group]),
        ]
        return [Requirement(line) for line in lines]


# In the order of compilation: a base comes before the locks that share its versions.
LOCKS = (
    Lock("core", project=True, extras=("local-models",), groups=("build",)),
    Lock("dev", project=True, groups=("build", "dev"), base="core"),
    Lock("lock", groups=("lock",), base="core"),
)


@dataclass(frozen=True)
class Pin:
    """One version of a package, where it is installed, and the hashes an installer accepts."""

    name: str
    version: Version
    marker: Marker | None
    hashes: frozenset[str]

    @property
    def line(self) -> str:
        """The pin without its hashes."""
        condition = f" ; {self.marker}" if self.marker else ""
        return f"{self.name}=={self.version}{condition}"


@dataclass(frozen=True)
class PackageFile:
    """A wheel or a source archive of a package; the latter has no tags."""

    filename: str
    sha256: str
    name: str
    version: Version
    tags: frozenset[Tag]

    @classmethod
    def named(cls, filename: str, sha256: str) -> Self:
        if filename.endswith(".whl"):
            name, version, _, tags = parse_wheel_filename(filename)
            return cls(filename, sha256, name, version, tags)
        name, version = parse_sdist_filename(filename)
        return cls(filename, sha256, name, version, frozenset())


def read_pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def parse_pins(text: str) -> list[Pin]:
    pins = []
    for line in text.replace("\\\n", " ").splitlines():
        requirement_text, *hashes = re.split(r"\s+--hash=sha256:", line.strip())
        if not requirement_text or requirement_text.startswith("#"):
            continue
        requirement = Requirement(requirement_text)
        (exact,) = requirement.specifier
        if exact.operator != "==":
            raise ValueError(f"{requirement_text!r} is no pin")
        pins.append(
            Pin(
                canonicalize_name(requirement.name),
                Version(exact.version),
                requirement.marker,
                frozenset(hashes),
            )
        )
    return pins


def pin_lines(pins: Iterable[Pin]) -> str:
    """The pins alone: a compilation that starts from them keeps versions, never hashes."""
    return "".join(f"{pin.line}\n" for pin in pins)


def parse_file_list(text: str) -> list[PackageFile]:
    files = []
    for line in text.splitlines():
        sha256, filename = line.split("  ")
        files.append(PackageFile.named(filename, sha256))
    return files


def file_list(files: Iterable[PackageFile]) -> str:
    ordered = sorted(set(files), key=lambda file: (file.name, file.version, file.filename))
    return "".join(f"{file.sha256}  {file.filename}\n" for file in ordered)

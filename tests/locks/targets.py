"""The machines the lock files must install on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from packaging import tags
from packaging.markers import Marker
from packaging.tags import Tag

PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
# The oldest systems supported: Debian 10, RHEL 8 and Ubuntu 20.04 have this glibc or a newer one.
GLIBC = (2, 28)
MACOS = (14, 0)


@dataclass(frozen=True)
class Platform:
    """An operating system and a processor, in the words of markers, wheel tags and uv."""

    name: str
    uv_platform: str
    wheel_platforms: tuple[str, ...]
    sys_platform: str
    platform_system: str
    platform_machine: str


@dataclass(frozen=True)
class Target:
    """A platform with a CPython version."""

    platform: Platform
    python: tuple[int, int]

    @property
    def python_version(self) -> str:
        return ".".join(map(str, self.python))

    @property
    def name(self) -> str:
        return f"{self.platform.name}, Python {self.python_version}"

    @cached_property
    def tags(self) -> frozenset[Tag]:
        """Every tag of a wheel that installs here."""
        interpreter = f"cp{self.python[0]}{self.python[1]}"
        platforms = self.platform.wheel_platforms
        return frozenset(
            {
                *tags.cpython_tags(self.python, [interpreter], platforms),
                *tags.compatible_tags(self.python, interpreter, platforms),
            }
        )

    def accepts(self, wheel_tags: Iterable[Tag]) -> bool:
        return not self.tags.isdisjoint(wheel_tags)

    def applies(self, marker: Marker | None) -> bool:
        """Whether a requirement with this marker is installed here."""
        return marker is None or marker.evaluate(self._environment)

    @cached_property
    def _environment(self) -> dict[str, str]:
        # Complete, so that nothing of the machine that runs the check is mixed in.
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{self.python_version}.0",
            "os_name": "posix",
            "platform_machine": self.platform.platform_machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": self.platform.platform_system,
            "platform_version": "",
            "python_full_version": f"{self.python_version}.0",
            "python_version": self.python_version,
            "sys_platform": self.platform.sys_platform,
        }


def _linux(machine: str, oldest_glibc_minor: int, aliases: tuple[str, ...]) -> Platform:
    glibc = f"manylinux_{GLIBC[0]}"
    minors = range(GLIBC[1], oldest_glibc_minor - 1, -1)
    return Platform(
        name=f"Linux {machine}",
        uv_platform=f"{machine}-{glibc}_{GLIBC[1]}",
        wheel_platforms=(
            *(f"{glibc}_{minor}_{machine}" for minor in minors),
            *(f"{alias}_{machine}" for alias in aliases),
        ),
        sys_platform="linux",
        platform_system="Linux",
        platform_machine=machine,
    )


PLATFORMS = (
    _linux("x86_64", 5, ("manylinux2014", "manylinux2010", "manylinux1")),
    _linux("aarch64", 17, ("manylinux2014",)),
    Platform(
        name="macOS arm64",
        uv_platform="aarch64-apple-darwin",
        wheel_platforms=tuple(tags.mac_platforms(MACOS, "arm64")),
        sys_platform="darwin",
        platform_system="Darwin",
        platform_machine="arm64",
    ),
)
TARGETS = tuple(Target(platform, python) for platform in PLATFORMS for python in PYTHONS)

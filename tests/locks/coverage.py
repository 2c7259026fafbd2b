"""Whether a lock file holds what every target needs, decided from files alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.locks.lockfile import PackageFile, Pin
from tests.locks.targets import TARGETS, Target

Release = tuple[str, Version]


def faults(
    pins: Iterable[Pin],
    files: Iterable[PackageFile],
    requirements: Iterable[Requirement],
) -> list[str]:
    """What keeps a lock from installing somewhere, each fault with the targets it concerns.

    A wheel counts for a target when its tags fit and its hash is in the lock. Source archives never
    count: they need compilers that a target may not have.
    """
    pins, requirements = list(pins), list(requirements)
    releases = by_release(files)
    concerned: defaultdict[str, list[Target]] = defaultdict(list)
    for target in TARGETS:
        for fault in _target_faults(target, pins, releases, requirements):
            concerned[fault].append(target)
    return [
        *(f"{fault}: {_names(targets)}" for fault, targets in concerned.items()),
        *_missing_hashes(pins, releases),
    ]


def by_release(files: Iterable[PackageFile]) -> dict[Release, list[PackageFile]]:
    releases: defaultdict[Release, list[PackageFile]] = defaultdict(list)
    for file in files:
        releases[file.name, file.version].append(file)
    return dict(releases)


def unpinned(pins: Collection[Pin], files: Iterable[PackageFile]) -> list[str]:
    """Listed files of releases that no lock pins: the list is not the one of these locks."""
    pinned = {(pin.name, pin.version) for pin in pins}
    return [
        f"{file.filename} is listed, but its release is in no lock"
        for file in files
        if (file.name, file.version) not in pinned
    ]


def _target_faults(
    target: Target,
    pins: Iterable[Pin],
    releases: Mapping[Release, list[PackageFile]],
    requirements: Iterable[Requirement],
) -> Iterator[str]:
    installed: dict[str, Pin] = {}
    for pin in pins:
        if not target.applies(pin.marker):
            continue
        if pin.name in installed:
            yield f"{pin.name} is pinned twice"
        installed[pin.name] = pin
        files = releases.get((pin.name, pin.version), ())
        if not any(target.accepts(file.tags) and file.sha256 in pin.hashes for file in files):
            yield f"{pin.name} {pin.version} has no wheel whose hash is locked"
    for requirement in requirements:
        if not target.applies(requirement.marker):
            continue
        found = installed.get(canonicalize_name(requirement.name))
        if found is None or not requirement.specifier.contains(found.version, prereleases=True):
            yield f"{requirement} of pyproject.toml is not met"


def _missing_hashes(
    pins: Iterable[Pin], releases: Mapping[Release, list[PackageFile]]
) -> Iterator[str]:
    """Listed files that the lock would refuse, although another one serves the same target."""
    for pin in pins:
        for file in releases.get((pin.name, pin.version), ()):
            if file.sha256 not in pin.hashes:
                yield f"{file.filename} is listed, but its hash is not in the lock"


def _names(targets: Collection[Target]) -> str:
    return "every target" if len(targets) == len(TARGETS) else "; ".join(t.name for t in targets)

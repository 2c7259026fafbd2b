"""The proof that a lock installs on a target: the public index is asked what the target needs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.locks import resolver
from tests.locks.coverage import by_release
from tests.locks.lockfile import Lock, PackageFile, Pin, parse_pins, pin_lines
from tests.locks.targets import TARGETS, Target

# A resolution mostly waits for the index.
AT_ONCE = 6


@dataclass(frozen=True)
class Outcome:
    """What became of a lock on a target."""

    lock: Lock
    target: Target
    packages: int
    faults: tuple[str, ...]


def outcomes(lock: Lock, path: Path, *, install: bool) -> Iterator[Outcome]:
    """A lock file on every target; ``install`` also downloads what it names."""
    pins = parse_pins(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        only_pins = Path(folder) / "pins.txt"
        only_pins.write_text(pin_lines(pins), encoding="utf-8")

        def outcome(target: Target) -> Outcome:
            installed = [pin for pin in pins if target.applies(pin.marker)]
            try:
                found = tuple(differences(installed, resolver.resolve(lock, target, only_pins)))
                if install:
                    resolver.install(path, target)
            except resolver.ResolverError as error:
                found = (str(error),)
            return Outcome(lock, target, len(installed), found)

        yield from pool.map(outcome, TARGETS)


def differences(installed: Sequence[Pin], needed: Sequence[PackageFile]) -> Iterator[str]:
    """Where a lock and what the index offers a target part."""
    releases = by_release(needed)
    for pin in installed:
        offered = releases.pop((pin.name, pin.version), [])
        if not offered:
            yield f"{pin.name} {pin.version} is locked, but not what the target resolves to"
        elif not any(file.sha256 in pin.hashes for file in offered):
            yield f"{pin.name} {pin.version}: the lock has no hash of {offered[0].filename}"
    for name, version in releases:
        yield f"{name} {version} is needed, but not locked"

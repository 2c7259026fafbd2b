"""Makes the lock files, or proves the present ones.

    python -m tests.locks make [--upgrade] [--install]
    python -m tests.locks prove [--install]

Both resolve every lock for every target against the public index and end with 1 on a fault.
``make`` replaces the files in requirements/ only when there is none. ``--install`` downloads, for
every target, all that a lock names and compares the hashes (some gigabytes).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.locks import resolver
from tests.locks.coverage import faults
from tests.locks.lockfile import (
    FILE_LIST,
    LOCKS,
    PackageFile,
    file_list,
    parse_file_list,
    parse_pins,
    pin_lines,
    read_pyproject,
)
from tests.locks.proof import outcomes
from tests.locks.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.locks")
    parser.add_argument("action", choices=("make", "prove"))
    parser.add_argument("--upgrade", action="store_true", help="move all pins forward")
    parser.add_argument("--install", action="store_true", help="download what the locks name, too")
    arguments = parser.parse_args()
    try:
        if arguments.action == "prove":
            present = {lock.name: lock.path for lock in LOCKS}
            return 0 if prove(present, FILE_LIST, install=arguments.install) else 1
        with tempfile.TemporaryDirectory() as name:
            made, listed = compile_all(Path(name), upgrade=arguments.upgrade)
            if not prove(made, listed, install=arguments.install):
                print("The files in requirements/ are as they were.", file=sys.stderr)
                return 1
            for lock in LOCKS:
                shutil.copyfile(made[lock.name], lock.path)
            shutil.copyfile(listed, FILE_LIST)
        return 0
    except resolver.ResolverError as error:
        print(error, file=sys.stderr)
        return 1


def compile_all(folder: Path, *, upgrade: bool) -> tuple[dict[str, Path], Path]:
    """New lock files and the list of their files, in a folder. Of the present ones only the
    versions are read: hashes, and what else is in them, are asked anew."""
    made: dict[str, Path] = {}
    pinned: dict[str, Path] = {}
    files: list[PackageFile] = []
    for lock in LOCKS:
        output, pins = folder / f"{lock.name}.txt", folder / f"{lock.name}.pins.txt"
        if lock.path.exists() and not upgrade:
            present = parse_pins(lock.path.read_text(encoding="utf-8"))
            output.write_text(pin_lines(present), encoding="utf-8")
        resolver.compile_lock(lock, output, [pinned[lock.base]] if lock.base else [])
        new = parse_pins(output.read_text(encoding="utf-8"))
        pins.write_text(pin_lines(new), encoding="utf-8")
        files += resolver.published_files(lock, pins, folder / f"pylock.{lock.name}.toml")
        made[lock.name], pinned[lock.name] = output, pins
    listed = folder / FILE_LIST.name
    useful = (f for f in files if not f.tags or any(t.accepts(f.tags) for t in TARGETS))
    listed.write_text(file_list(useful), encoding="utf-8")
    return made, listed


def prove(paths: Mapping[str, Path], listed: Path, *, install: bool) -> bool:
    """A table of all locks and targets; whether there was no fault."""
    pyproject = read_pyproject()
    files = parse_file_list(listed.read_text(encoding="utf-8"))
    found: list[str] = []
    for lock in LOCKS:
        path = paths[lock.name]
        pins = parse_pins(path.read_text(encoding="utf-8"))
        found += [
            f"{lock.name}: {fault}" for fault in faults(pins, files, lock.requirements(pyproject))
        ]
        for outcome in outcomes(lock, path, install=install):
            name = outcome.target.name
            how = "installs" if install else "resolves"
            result = "fails" if outcome.faults else f"{how}, {outcome.packages} packages"
            print(f"{lock.name:5} {name:28} {result}", flush=True)
            found += [f"{lock.name}, {name}: {fault}" for fault in outcome.faults]
    for fault in found:
        print(fault, file=sys.stderr)
    return not found


if __name__ == "__main__":
    sys.exit(main())

"""The wheel as people get it: `make release`.

Builds it, installs it into new environments, and tries there the demo, databases of older
versions, every page of the docs as printed, and every extra alone. Fails where one of them does.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from zipfile import ZipFile

from tests.integrations.server import Answer, speak
from tests.postgres.server import new_database
from tests.providers.scripted import Scripted
from tests.release import upgrade
from tests.release.environments import ROOT, Environment, build, new_environment
from tests.release.extras import extras, fault, names_it, refusals, surroundings
from tests.release.outside import service
from tests.release.pages import blocks, pages, subject_of
from tests.release.readers import READERS, Reader
from tests.release.walk import Walk

Check = Callable[[Path, Path, Collection[str]], Iterator[str]]
"""Yields what is wrong with a wheel, in a folder of its own, of all that it tries or of these."""


def check_wheel(wheel: Path, place: Path, names: Collection[str]) -> Iterator[str]:
    """What it carries, and the demo with nothing but its dependencies."""
    with ZipFile(wheel) as packed:
        carried = packed.namelist()
    print(f"  {wheel.name}: {wheel.stat().st_size:,} bytes, {len(carried)} files")
    here = {
        str(file.relative_to(ROOT / "src"))
        for file in (ROOT / "src" / "mnemic").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    if here != {name for name in carried if ".dist-info/" not in name}:
        yield "the wheel does not carry the files of the package, and them alone"
    bare = new_environment(place / "bare", [str(wheel)])
    (place / "demo").mkdir()
    began = time.monotonic()
    shown = bare.run(
        "python", "-m", "examples.demo", folder=place / "demo", more={"PYTHONPATH": str(ROOT)}
    )
    print(f"  the demo: {time.monotonic() - began:.1f} s")
    if shown.returncode:
        yield f"the demo: {shown.stdout[-500:]}{shown.stderr}"


def check_upgrade(wheel: Path, place: Path, names: Collection[str]) -> Iterator[str]:
    yield from upgrade.faults(new_environment(place / "venv", [str(wheel)]), place)


def check_pages(wheel: Path, place: Path, names: Collection[str]) -> Iterator[str]:
    """Every page, in an environment with what it tells its reader to install."""
    made: dict[str, Environment] = {}
    ran = excused = 0
    with Scripted() as model:
        model.always(speak(Answer("Python 3.12.")))
        for page in pages():
            if names and page.name not in names:
                continue
            packages = READERS.get(subject_of(page), Reader()).packages
            installs = [line for block in blocks(page) for line in _installs(block.text)]
            key = "\n".join([*packages, *installs])
            if key not in made:
                wanted = [str(wheel), *packages]
                made[key] = new_environment(place / f"venv-{len(made)}", wanted)
            around = {"MODEL_URL": model.url}
            if "postgres" in key:
                around["POSTGRES_URL"] = new_database("pages")
            began = time.monotonic()
            home = place / "homes" / page.relative_to(ROOT)
            with Walk(page, made[key], home, around) as walk:
                failed = walk.failures()
            ran, excused = ran + walk.ran, excused + len(walk.excused)
            took = time.monotonic() - began
            print(f"  {page.name:<24} {walk.ran:3} ran {took:5.0f} s {'FAILED' if failed else ''}")
            for block in walk.excused:
                print(f"    not run: line {block.line}: {block.excuse}")
            yield from failed
    print(f"  {ran} blocks ran, {excused} cannot be run here")


def _installs(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("pip install ")]


def check_extras(wheel: Path, place: Path, names: Collection[str]) -> Iterator[str]:
    """Each extra in an environment that has it alone, and in one that has none."""
    with ExitStack() as stack:
        around = stack.enter_context(surroundings(place / "around"))
        bare = new_environment(place / "bare", [str(wheel)])
        for extra, said in refusals(bare, place / "without", around).items():
            if not names_it(said, extra):
                yield f"without {extra}: {said}"
        url, token = stack.enter_context(service(place / "service"))
        around |= {"SERVICE_URL": url, "SERVICE_TOKEN": token}
        around["POSTGRES_URL"] = new_database("extras")
        for extra in names or extras():
            began = time.monotonic()
            with_it = new_environment(place / extra, [f"{wheel}[{extra}]"])
            wrong = fault(extra, with_it, place / f"use-{extra}", around)
            print(f"  {extra:<24} {time.monotonic() - began:5.0f} s {'FAILED' if wrong else ''}")
            if wrong:
                yield f"with {extra}: {wrong}"
            shutil.rmtree(with_it.folder)


CHECKS: dict[str, Check] = {
    "wheel": check_wheel,
    "upgrade": check_upgrade,
    "pages": check_pages,
    "extras": check_extras,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", nargs="?", choices=CHECKS, help="only this one")
    parser.add_argument("names", nargs="*", help="of it only these pages or extras")
    given = parser.parse_args()
    failures: list[str] = []
    for name in [given.check] if given.check else CHECKS:
        print(name)
        place = ROOT / "build" / "release" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        failures += CHECKS[name](build(place), place, given.names)
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

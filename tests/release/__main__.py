"""The wheel as people get it: `make release`.

Builds it, installs it into new environments, and tries there the demo, the quick start, every
extra alone, every page of the docs as printed, and databases of older versions.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.postgres.server import new_database
from tests.release.environments import ROOT, build, new_environment
from tests.release.extras import extras, fault, names_it, refusals, surroundings
from tests.release.outside import service

PLACE = ROOT / "build" / "release"


def check_extras(wheel: Path, only: Iterable[str]) -> Iterator[str]:
    """Each extra in an environment that has it alone, and in one that has none; what failed."""
    place = PLACE / "extras"
    with ExitStack() as stack:
        around = stack.enter_context(surroundings(place / "around"))
        bare = new_environment(place / "bare", [str(wheel)])
        for extra, said in refusals(bare, place / "without", around).items():
            if not names_it(said, extra):
                yield f"without {extra}: {said}"
        url, token = stack.enter_context(service(place / "service"))
        around |= {"SERVICE_URL": url, "SERVICE_TOKEN": token}
        around["POSTGRES_URL"] = new_database("release")
        for extra in only or extras():
            began = time.monotonic()
            with_it = new_environment(place / extra, [f"{wheel}[{extra}]"])
            found = fault(extra, with_it, place / f"use-{extra}", around)
            print(f"  {extra:<18} {time.monotonic() - began:5.0f} s  {'FAILED' if found else 'ok'}")
            if found:
                yield f"with {extra}: {found}"
            shutil.rmtree(with_it.folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=("extras",), help="only this part")
    parser.add_argument("names", nargs="*", help="of it only these")
    given = parser.parse_args()
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    wheel = build(PLACE)
    failures = list(check_extras(wheel, given.names))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

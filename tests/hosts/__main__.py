"""The hosts' own suites, and every adapter with its real library: `make hosts`.

Prints a table by name and version; fails where a test fails that is not listed as left out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from tests.hosts.suites import SUITES, Suite

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "hosts"
STAND_INS = Path(__file__).parent / "stand_ins"
FRAMEWORKS = (
    "langchain google-adk llama-index-core autogen-core crewai strands-agents agent-framework-core"
).split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("suites", "frameworks"))
    part = parser.parse_args().part
    return run_suites() if part == "suites" else run_frameworks()


def run_suites() -> int:
    failed = conformance()
    for suite in SUITES:
        failed += run_suite(suite)
    return 1 if failed else 0


def conformance() -> int:
    """LangGraph's own suite for checkpointers, around its checkpointer in RAM."""
    from langgraph.checkpoint.conformance import checkpointer_test, validate
    from langgraph.checkpoint.conformance.capabilities import (
        EXTENDED_CAPABILITIES,
        DetectedCapabilities,
    )
    from langgraph.checkpoint.memory import InMemorySaver

    import mnemic
    from mnemic.integrations import GraphSaver

    missing = DetectedCapabilities.from_instance(InMemorySaver()).missing & EXTENDED_CAPABILITIES
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "conformance.db"
    for file in BUILD.glob("conformance.db*"):
        if file.is_file():
            file.unlink()

    with mnemic.open(path, worker="none") as mind:

        @checkpointer_test(name="GraphSaver", skip_capabilities={one.value for one in missing})
        async def saver():  # type: ignore[no-untyped-def]
            yield GraphSaver(mind, InMemorySaver())

        report = asyncio.run(validate(saver))
    results = [result for result in report.results.values() if result.detected]
    passed = sum(result.tests_passed for result in results)
    failed = int(sum(result.tests_failed for result in results))
    left = ", ".join(sorted(one.value for one in missing))
    release = "langgraph-checkpoint-conformance"
    line("LangGraph checkpointer conformance", release, passed, failed, 0)
    if left:
        print(f"    not offered by the checkpointer behind it: {left}")
    for result in results:
        for failure in result.failures:
            print(f"    FAILED {failure}")
    return failed


def run_suite(suite: Suite) -> int:
    folder = unpacked(suite.release)
    report = BUILD / f"{suite.stand_in}.xml"
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=no"),
            *("-p", "no:cacheprovider", "-p", "mnemic_stand_ins", "-o", "addopts="),
            *("-o", "asyncio_mode=auto", f"--junit-xml={report}", *suite.files),
        ],
        cwd=folder,
        env={
            **os.environ,
            "STAND_IN": suite.stand_in,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", STAND_INS, folder))),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    cases = list(ElementTree.parse(report).iter("testcase"))
    bad = [one for one in cases if one.find("failure") is not None or one.find("error") is not None]
    names = [str(one.get("name")) for one in bad]
    left_out = [name for name in names if name.split("[")[0] in suite.left_out]
    failed = [name for name in names if name.split("[")[0] not in suite.left_out]
    line(suite.name, suite.release, len(cases) - len(bad), len(failed), len(left_out))
    for name in sorted({name.split("[")[0] for name in left_out}):
        print(f"    left out: {name}: {suite.left_out[name]}")
    for name in failed:
        print(f"    FAILED {name}")
    return len(failed) + (not cases)


def unpacked(release: str) -> Path:
    """The source release of the version that is installed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    pinned = f"{release}=={version(release)}"
    name = f"{release.replace('-', '_')}-{version(release)}"
    if not (BUILD / name).is_dir():
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps"]
        subprocess.run([*command, "--no-binary", release, "--dest", str(BUILD), pinned], check=True)
        with tarfile.open(BUILD / f"{name}.tar.gz") as archive:
            archive.extractall(BUILD, filter="data")
    return BUILD / name


def run_frameworks() -> int:
    """Two sessions of two users with each framework."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--no-header", "-o", "addopts="),
            *("-o", "filterwarnings=", "-o", "asyncio_default_fixture_loop_scope=function"),
            *("-p", "no:cacheprovider", "tests/hosts"),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "MNEMIC_TEST_HOSTS": "true",
            "OTEL_SDK_DISABLED": "true",
            "CREWAI_DISABLE_TELEMETRY": "true",
        },
        check=False,
    )
    for name in FRAMEWORKS:
        print(f"{name:58} {version(name)}")
    return done.returncode


def line(name: str, release: str, passed: int, failed: int, left_out: int) -> None:
    print(
        f"{name:52} {release} {version(release)}: {passed} passed, {failed} failed,"
        f" {left_out} left out",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

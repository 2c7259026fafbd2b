"""What deploy/ says: files that parse, and commands that the program knows."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml  # type: ignore[import-untyped]

from mnemic.cli.root import cli as command

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def parse(args: list[str]) -> dict[str, Any]:
    """The options of a command line, as the program itself reads them; nothing is run."""
    group: Any = command
    name, *rest = args
    found: click.Command = group.get_command(click.Context(group), name)
    assert found is not None, name
    return found.make_context(name, rest, resilient_parsing=False).params


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))


def containers() -> list[dict[str, Any]]:
    workloads = [one for one in manifests() if one["kind"] == "Deployment"]
    return [c for one in workloads for c in one["spec"]["template"]["spec"]["containers"]]


def test_the_manifest_runs_commands_that_are_there() -> None:
    answering, working = containers()
    assert parse(answering["args"])["learners"] == 0
    assert working["args"] == ["worker"]
    assert parse(working["args"]) is not None
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert answering[probe]["httpGet"]["path"] in ("/healthz", "/readyz")
    (port,) = answering["ports"]
    assert port["containerPort"] == parse(["serve"])["port"]


def test_the_manifest_names_what_it_selects() -> None:
    *workloads, service = manifests()
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in workloads]
    assert service["spec"]["selector"] in labels
    for one in workloads:
        wanted = one["spec"]["selector"]["matchLabels"]
        assert wanted == one["spec"]["template"]["metadata"]["labels"]
        pod = one["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"]
        mounted = {mount["name"] for c in pod["containers"] for mount in c["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_container_installs_extras_that_are_there_and_serves() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    (extras,) = re.findall(r"/src\[([\w,]+)\]", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    (run,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert parse(json.loads(run))["host"] == "0.0.0.0"
    assert (ROOT / "requirements" / "core.txt").is_file()
    (check,) = re.findall(r"^HEALTHCHECK CMD (\[.*\])$", text, re.MULTILINE)
    compile(json.loads(check)[2], "healthcheck", "exec")


def test_the_unit_of_systemd_starts_what_is_there() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string((DEPLOY / "mnemic.service").read_text("utf-8"))
    program, *args = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/bin/mnemic")
    assert parse(args)["workers"] == 2
    assert int(unit["Service"]["TimeoutStopSec"]) > 60


@pytest.mark.parametrize("name", ["Containerfile", "kubernetes.yaml", "mnemic.service"])
def test_the_page_tells_of_it(name: str) -> None:
    for page in ("serve.md", "serve.zh.md"):
        assert f"deploy/{name}" in (ROOT / "docs" / page).read_text("utf-8")

"""How much the core brings along: every distribution it needs, and the bytes of their files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import mnemic
from bench.figures import Figure, figure

MEGA = 1_000_000.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"\bextra\s*==")


def measure_installed() -> list[Figure]:
    """The largest first, and the sum of all."""
    sizes = {
        name: sum(file.stat().st_size for file in _files(found))
        for name, found in core_distributions().items()
    }
    ordered = sorted(sizes.items(), key=lambda entry: -entry[1])
    return [
        figure("installed", "all", "MB", sum(sizes.values()) / MEGA),
        *(figure("installed", name, "MB", size / MEGA) for name, size in ordered),
    ]


def core_distributions(root: str = "mnemic") -> dict[str, metadata.Distribution]:
    """A distribution and all it requires here, extras left out."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [root]
    while waiting:
        name = _normal(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # required on another system or an older Python only
        own = _checked_out() if name == "mnemic" else None
        waiting += _names(found[name].requires or () if own is None else own)
    return found


def _checked_out() -> list[str] | None:
    """The requirements in the checkout this runs from: what pip noted there may be older."""
    project = Path(mnemic.__file__).parents[2] / "pyproject.toml"
    if not project.is_file():
        return None
    told = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
    return list(told["dependencies"]) if told.get("name") == "mnemic" else None


def _names(requirements: Iterable[str]) -> Iterator[str]:
    for line in requirements:
        wanted, _, marker = line.partition(";")
        name = _NAME.match(wanted.strip())
        if name and not _EXTRA.search(marker):
            yield name.group()


def _files(found: metadata.Distribution) -> Iterator[Path]:
    if _normal(found.name) == "mnemic":
        # Installed editable, its record names no modules.
        package = Path(mnemic.__file__).parent
        yield from (p for p in package.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        return
    for file in found.files or ():
        path = Path(str(file.locate()))
        if path.is_file():
            yield path


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

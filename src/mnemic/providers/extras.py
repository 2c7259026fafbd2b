"""Optional dependencies: imported when used; an error names how to install a missing one."""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType

from mnemic import late
from mnemic.errors import MissingExtra


def require(extra: str, *modules: str) -> None:
    """Raise for what is not installed, without importing anything."""
    for module in modules:
        if find_spec(module) is None:
            raise _missing(extra, module)


def load(extra: str, module: str) -> ModuleType:
    """Import a part that comes with an extra."""
    try:
        return late.load(module)
    except ImportError as error:
        raise _missing(extra, module) from error


def _missing(extra: str, module: str) -> MissingExtra:
    return MissingExtra(
        f"{module} is not installed", remedy=f'Install it: pip install "mnemic[{extra}]"'
    )

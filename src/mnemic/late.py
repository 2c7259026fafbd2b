"""What is imported when it is first used, such as numpy: who records or lists needs none of it."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

# A child that is forked while another thread imports a module could never import it itself.
_LOADING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release
    )


def load(module: str) -> ModuleType:
    """A module that some thread may import while another forks."""
    with _LOADING:
        return import_module(module)


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    NDArray = list  # named in annotations alone

    class _LateNumpy:
        """Has the names of numpy, each a plain attribute once it was used."""

        def __getattr__(self, name: str) -> object:
            value = self.__dict__[name] = getattr(load("numpy"), name)
            return value

    np = _LateNumpy()

__all__ = ["NDArray", "load", "np"]

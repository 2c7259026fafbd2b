"""What is imported or made when it is first used: who records or lists needs no numpy, and few of
the methods of dataclasses.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

# A child that is forked while another thread imports a module could never import it itself.
_LOADING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release
    )


def load(module: str) -> ModuleType:
    """A module that some thread may import while another forks."""
    with _LOADING:
        # Threads of numpy's OpenBLAS spin 30 ms before they sleep, from the import on.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        # Modules are made of things that stay: the collector would look at them again and again.
        collects = gc.isenabled()
        gc.disable()
        try:
            return import_module(module)
        finally:
            if collects:
                gc.enable()


def data_of(package: str) -> Path:
    """The folder of a package, with its data; ``importlib.resources`` would load zipfile."""
    return Path(__file__).parents[1].joinpath(*package.split("."))


if TYPE_CHECKING:
    from dataclasses import dataclass

    import numpy as np
    from numpy.typing import NDArray
else:
    # What a class is asked for before there is an instance, for which all is made.
    _HEAD = "__init__ __setstate__ __match_args__ __dataclass_fields__ __dataclass_params__".split()

    class _LateMember:
        def __init__(self, name: str, make: Callable[[], type]) -> None:
            self._name, self._make = name, make

        def __get__(self, instance: object, owner: type) -> Any:
            member = vars(self._make())[self._name]
            return member.__get__(instance, owner) if callable(member) else member

    def dataclass(*, frozen: bool, slots: bool, **options: bool) -> Callable[[type], type]:
        """As of ``dataclasses``, but the methods of a class are made when it is first used."""
        options |= {"frozen": frozen, "slots": slots}  # others than these have other members

        def decorate(given: type) -> type:
            def make() -> type:
                with _LOADING:
                    if isinstance(vars(late)["__init__"], _LateMember):
                        made = vars(dataclasses.dataclass(**options)(given))
                        for name in [*(made.keys() - space.keys() - {*names}), *_HEAD]:
                            setattr(late, name, made[name])
                return late

            names = [n for n, kind in given.__annotations__.items() if "ClassVar" not in kind]
            space = {name: _LateMember(name, make) for name in _HEAD}
            space |= {"__slots__": names, "__qualname__": given.__qualname__}
            without = {*names, "__dict__", "__weakref__"}
            space |= {name: it for name, it in vars(given).items() if name not in without}
            late = type(given)(given.__name__, given.__bases__, space)
            return late

        return decorate

    NDArray = list  # named in annotations alone

    class _LateNumpy:
        """Has the names of numpy, each a plain attribute once it was used."""

        def __getattr__(self, name: str) -> object:
            value = self.__dict__[name] = getattr(load("numpy"), name)
            return value

    np = _LateNumpy()

__all__ = ["NDArray", "dataclass", "load", "np"]

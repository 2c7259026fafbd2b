"""What is imported or made at its first use: who records needs no numpy and few methods."""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import field
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

_SPECS: dict[tuple[str, ...], ModuleSpec] = {}
# A child that is forked while another thread imports a module could never import it itself.
_LOADING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release
    )


def load(module: str) -> ModuleType:
    """A module that some thread may import while another forks."""
    with _LOADING:
        if module in sys.modules:  # to count what is frozen takes long in a large process
            return import_module(module)
        # Threads of numpy's OpenBLAS spin 30 ms before they sleep, from the import on.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        # Modules are made of things that stay: the collector would look at them again and again.
        collects = gc.isenabled()
        gc.disable()
        try:
            return import_module(module)
        finally:
            if collects:
                if not gc.get_freeze_count():  # both together: from now on they are among the old
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


def find(module: str) -> ModuleSpec | None:
    """Where a module is, without importing it; a look through the path takes half a millisecond."""
    spec = None if module in sys.modules else _SPECS.get((module, *sys.path))
    if spec is None and (spec := find_spec(module)):
        _SPECS[module, *sys.path] = spec
    return spec


def data_of(package: str) -> Path:
    """The folder of a package, with its data; ``importlib.resources`` would load zipfile."""
    return Path(__file__).parents[1].joinpath(*package.split("."))


if TYPE_CHECKING:
    from dataclasses import dataclass

    import numpy as np
    from numpy.typing import NDArray
else:
    # What `dataclasses` writes into classes with slots; the first line is asked for before there is
    # an instance.
    _WRITTEN = "__init__ __match_args__ __dataclass_fields__ __dataclass_params__ __repr__".split()
    _FROZEN = "__setstate__ __getstate__ __setattr__ __delattr__".split()

    class _LateMember:
        def __init__(self, name: str, make: Callable[[str], type]) -> None:
            self._name, self._make = name, make

        def __get__(self, instance: object, owner: type) -> Any:
            member = vars(self._make(self._name))[self._name]
            return member.__get__(instance, owner) if callable(member) else member

    def dataclass(
        *, frozen: bool = False, slots: bool, eq: bool = True, kw_only: bool = False
    ) -> Callable[[type], type]:
        """As of ``dataclasses``, but the methods of a class are made when one of them is first
        used, and before them ``__init__`` alone: mostly no other is.
        """

        def decorate(given: type) -> type:
            def make(name: str) -> type:
                with _LOADING:
                    if not isinstance(vars(late)[name], _LateMember):
                        return late
                    if init := name == "__init__" and _write_init(given, late, names, kw_only):
                        late.__init__ = init
                        return late
                    options = {"frozen": frozen, "slots": slots, "eq": eq, "kw_only": kw_only}
                    made = vars(dataclasses.dataclass(**options)(given))
                    for member in made.keys() - {*names}:
                        if isinstance(vars(late).get(member, lacking), _LateMember):
                            setattr(late, member, made[member])
                return late

            lacking = _LateMember("", make)
            names = [n for n, kind in given.__annotations__.items() if "ClassVar" not in kind]
            written = _WRITTEN + eq * ["__eq__"] + frozen * _FROZEN + (eq and frozen) * ["__hash__"]
            space = {name: _LateMember(name, make) for name in written}
            space |= {"__slots__": (*names,), "__qualname__": given.__qualname__}
            without = {*names, "__dict__", "__weakref__"}
            without |= {"__hash__"} if vars(given).get("__hash__") is None else set()
            space |= {name: it for name, it in vars(given).items() if name not in without}
            late = type(given)(given.__name__, given.__bases__, space)
            return late

        return decorate

    # What the signature of a class shows for a value that is made.
    _MADE = getattr(dataclasses, "_HAS_DEFAULT_FACTORY", object())

    def _write_init(given: type, late: type, names: list[str], kw_only: bool) -> Any:
        """The ``__init__`` of a class whose fields are all its own; None for others."""
        if any("__dataclass_fields__" in vars(base) for base in given.__mro__):
            return None
        space: dict[str, Any] = {"__name__": given.__module__, "_made": _MADE}
        head, body = ["self", *(kw_only * ["*"])], []
        for name in names:
            default, value = vars(given).get(name, dataclasses.MISSING), name
            if isinstance(default, dataclasses.Field):
                if not default.init:
                    return None
                space[f"_make_{name}"], default = default.default_factory, default.default
                if space[f"_make_{name}"] is not dataclasses.MISSING:
                    default, value = _MADE, f"_make_{name}() if {name} is _made else {name}"
            space |= {f"_set_{name}": vars(late)[name].__set__, f"_default_{name}": default}
            head.append(name if default is dataclasses.MISSING else f"{name}=_default_{name}")
            body.append(f"_set_{name}(self, {value})")
        body += ["self.__post_init__()"] * hasattr(given, "__post_init__")
        exec(f"def __init__({', '.join(head)}): {'; '.join(body) or 'pass'}", space)
        init = space["__init__"]
        init.__qualname__ = f"{given.__qualname__}.__init__"
        init.__annotations__ = {n: given.__annotations__[n] for n in names} | {"return": None}
        return init

    NDArray = list  # named in annotations alone

    class _LateNumpy:
        """Has the names of numpy, each a plain attribute once it was used."""

        def __getattr__(self, name: str) -> object:
            value = self.__dict__[name] = getattr(load("numpy"), name)
            return value

    np = _LateNumpy()

__all__ = ["NDArray", "data_of", "dataclass", "field", "find", "load", "np"]

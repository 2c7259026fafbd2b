"""How a unit of work comes by its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class UnitPart(Generic[T]):
    """A part of a unit, made when it is first used. It has no lock, since a unit belongs to one
    thread and every turn that is recorded makes one.
    """

    def __init__(self, make: Callable[[Any, int, Any], T]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, unit: Any, owner: type | None = None) -> T:
        made = unit.__dict__[self._name] = self._make(unit.conn, unit.space, unit.text_stats)
        return made


def simple(make: Callable[[Any, int], T]) -> UnitPart[T]:
    """A part that needs no statistics of the text index."""
    return UnitPart(lambda conn, space, _: make(conn, space))

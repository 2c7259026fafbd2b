"""How the fields of a value stand in the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, Generic, TypeVar

from mnemic.store import codec

Value = TypeVar("Value")
_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "time": codec.from_micros,
    "time?": codec.maybe_from_micros,
    "day": date.fromisoformat,
    "flag": bool,
    "words": codec.load_words,
    "mapping": codec.load_mapping,
    "metadata": codec.load_metadata,
    "actions": codec.load_actions,
    "calls": codec.load_calls,
    "results": codec.load_results,
}


class Fields(Generic[Value]):
    """The fields of a type that are columns of the same name, listed as ``name`` or ``name:kind``;
    ``prefix`` is that of the columns in statements, ``elsewhere`` the expressions of fields that
    have another column.
    """

    def __init__(
        self, make: Callable[..., Value], listed: str, prefix: str = "", **elsewhere: str
    ) -> None:
        fields = [field.partition(":") for field in listed.split()]
        self.names = [name for name, _, _ in fields]
        self.columns = ", ".join(elsewhere.get(name, f"{prefix}{name}") for name in self.names)
        # Compiled, as dataclasses are: a loop over the fields would take twice as long.
        names = {f"read_{name}": _DECODERS[kind] for name, _, kind in fields if kind}
        cells = ", ".join(
            f"{name}=read_{name}(row[{n}])" if kind else f"{name}=row[{n}]"
            for n, (name, _, kind) in enumerate(fields)
        )
        #: The value of a row of these columns; fields that are not among them are given by name.
        self.read: Callable[..., Value] = eval(
            f"lambda row, **others: make({cells}, **others)", {"make": make, **names}
        )

    def of(self, value: Value, names: Iterable[str] = ()) -> dict[str, Any]:
        """The fields of a value, or some of them, by column."""
        return {name: getattr(value, name) for name in names or self.names}

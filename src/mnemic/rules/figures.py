"""Which figures of use an event counts for. They are counted when it happens, so that reading them
takes as long in a large memory as in a small one.
"""

from __future__ import annotations

from collections.abc import Mapping

TAKEN_BACK = "taken_back"  # only of a memory that was learned, and once
_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "pending": ("put_to_user",),
    "confirm": ("confirmed",),
    "withdraw": (TAKEN_BACK,),
}


def figures_of(type_: str, payload: Mapping[str, object]) -> tuple[str, ...]:
    """The names of the figures; most events count for none."""
    if type_ == "write":
        return ("learned",) if payload.get("sources") else ()
    if type_ == "reject":
        return ("refused", TAKEN_BACK) if payload.get("by") == "user" else (TAKEN_BACK,)
    if type_ == "archive":  # by a rollback, rather than by decay
        undone = str(payload.get("reason", "")).startswith("rollback of")
        return (TAKEN_BACK,) if undone else ()
    return _BY_TYPE.get(type_, ())

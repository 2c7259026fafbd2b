"""Literal types: roles, trust levels, kinds, statuses, outcomes."""

from __future__ import annotations

from typing import Literal, NewType, get_args

Role = Literal["user", "assistant", "tool", "system"]
ROLES: tuple[Role, ...] = get_args(Role)

Trust = Literal["owner", "agent", "tool", "external"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)

BuiltinKind = Literal[
    "identity",
    "preference",
    "rule",
    "config",
    "credential",
    "fact",
    "decision",
    "skill",
    "lesson",
    "event",
    "trait",
    "temp",
]
KINDS: tuple[BuiltinKind, ...] = get_args(BuiltinKind)
OwnKind = NewType("OwnKind", str)
"""A kind that the setting `memory.kinds` names."""
Kind = BuiltinKind | OwnKind

RecordType = Literal["memory", "turn", "episode", "attachment"]
RECORD_TYPES: tuple[RecordType, ...] = get_args(RecordType)

TurnState = Literal["new", "extracted", "empty", "failed", "dead"]
TURN_STATES: tuple[TurnState, ...] = get_args(TurnState)

# An item is a value that a host keeps under a key: no part of what is known, found by status only.
MemoryStatus = Literal["active", "pending", "superseded", "rejected", "archived", "item"]
STATUSES: tuple[MemoryStatus, ...] = get_args(MemoryStatus)
MemoryOrder = Literal["newest", "oldest", "updated", "importance", "used"]
ORDERS: tuple[MemoryOrder, ...] = get_args(MemoryOrder)
DecisionOutcome = Literal[
    "new", "same", "update", "conflict", "pending", "dropped", "withdrawn", "refused"
]
MemoryOrigin = Literal["extraction", "compression", "proposal", "manual", "migration"]
ORIGINS: tuple[MemoryOrigin, ...] = get_args(MemoryOrigin)
JobState = Literal["ready", "running", "dead"]
PadWriter = Literal["user", "agent"]
PAD_WRITERS: tuple[PadWriter, ...] = get_args(PadWriter)
Direction = Literal["inbound", "outbound"]
Outcome = Literal["success", "partial", "failed", "ongoing"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

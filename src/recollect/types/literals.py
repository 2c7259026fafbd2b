"""Literal types: roles, trust levels, kinds, statuses, outcomes."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["user", "assistant", "tool", "system"]
ROLES: tuple[Role, ...] = get_args(Role)

Trust = Literal["owner", "agent", "tool", "external"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)

Kind = Literal[
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
KINDS: tuple[Kind, ...] = get_args(Kind)

RecordType = Literal["memory", "turn", "episode", "attachment"]
RECORD_TYPES: tuple[RecordType, ...] = get_args(RecordType)

TurnState = Literal["new", "extracted", "empty", "failed", "dead"]
TURN_STATES: tuple[TurnState, ...] = get_args(TurnState)

MemoryStatus = Literal["active", "pending", "superseded", "rejected", "archived"]
DecisionOutcome = Literal[
    "new", "same", "update", "conflict", "pending", "dropped", "withdrawn", "refused"
]
JobState = Literal["ready", "running", "dead"]
Direction = Literal["inbound", "outbound"]
Outcome = Literal["success", "partial", "failed", "ongoing"]

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

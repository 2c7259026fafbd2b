"""How the devices of a memory stand."""

from __future__ import annotations

import json

from mnemic.store.codec import from_micros
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import ForgottenRows
from mnemic.sync.registers import MERGED, Held
from mnemic.sync.report import Conflicts, DevicesReport, KnownDevice, TravelingReceipt


def list_conflicts(unit: Unit) -> Conflicts:
    """Memories that contradict each other: the one that holds, and the one that waits."""
    table, columns = MERGED["memories"].table, ("id", "slot", "project", "status")
    held = unit.sync.load_held("memories").items()
    waiting = [key for key, shadow in held
               if Held.read(shadow).true.get("status", ["", ""])[1] == "pending"]  # fmt: skip
    rows = unit.sync.rows(table, columns, waiting) if waiting else []
    same = unit.sync.rows_in(table, columns, "slot", {row[1] for row in rows}) if rows else []
    answers = {row[1:3]: row[0] for row in same if row[3] == "active"}
    return tuple(sorted((answers.get(row[1:3], ""), row[0]) for row in rows))


def list_confirmed(receipt: ForgottenRows) -> dict[str, int]:
    """When each device has said that it erased something."""
    confirmed = json.loads(receipt.confirmed)
    return {device: at for device, (number, at) in confirmed.items() if number}


def read_state(unit: Unit, public_key: str) -> DevicesReport:
    devices = unit.sync.devices().values()
    active = {row.device for row in devices if row.removed < 0}
    receipts = []
    for row in unit.sync.receipts().values():
        if not row.device:
            continue  # only confirmations of it came yet
        confirmed = list_confirmed(row)
        times = {device: from_micros(at) for device, at in confirmed.items()}
        receipts.append(TravelingReceipt(
            row.receipt, row.device, from_micros(row.at), json.loads(row.counts), times,
            active <= confirmed.keys()))  # fmt: skip
    reports = [KnownDevice(row.device, row.name, bool(row.own), from_micros(row.at),
                           row.removed >= 0) for row in devices]  # fmt: skip
    return DevicesReport(public_key, tuple(reports), tuple(receipts), list_conflicts(unit))

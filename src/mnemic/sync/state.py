"""How the devices of a memory stand."""

from __future__ import annotations

import json

from mnemic.store.codec import from_micros
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import ForgottenRows
from mnemic.sync.registers import MERGED, Held
from mnemic.sync.report import DevicesReport, KnownDevice, TravelingReceipt


def list_conflicts(unit: Unit) -> tuple[tuple[str, str], ...]:
    """Memories that contradict each other: the one that holds, and the one that waits."""
    table = MERGED["memories"].table
    waiting = [
        key
        for key, shadow in unit.sync.shadows("memories").items()
        if '"status"' in shadow.held and Held.read(shadow).true["status"][1] == "pending"
    ]
    if not waiting:
        return ()
    columns = ("id", "slot", "project", "status")
    answers = {(slot, project): id_ for id_, slot, project, status in unit.sync.rows_in(
        table, columns, "status", ["active"])}  # fmt: skip
    rows = unit.sync.rows(table, columns, waiting)
    return tuple(sorted((answers.get((slot, project), ""), id_) for id_, slot, project, _ in rows))


def confirmed_by(one: ForgottenRows) -> dict[str, int]:
    """When each device has said that it erased something."""
    told = json.loads(one.confirmed)
    return {device: at for device, (number, at) in told.items() if number}


def read_state(unit: Unit, public_key: str) -> DevicesReport:
    devices = unit.sync.devices().values()
    active = {one.device for one in devices if one.removed < 0}
    receipts = []
    for one in unit.sync.receipts().values():
        if not one.device:
            continue  # only confirmations of it came yet
        confirmed = confirmed_by(one)
        receipts.append(
            TravelingReceipt(
                one.receipt,
                one.device,
                from_micros(one.at),
                json.loads(one.counts),
                {device: from_micros(at) for device, at in confirmed.items()},
                active <= confirmed.keys(),
            )
        )
    known = [KnownDevice(one.device, one.name, bool(one.own), from_micros(one.at), one.removed >= 0)
             for one in devices]  # fmt: skip
    return DevicesReport(public_key, tuple(known), tuple(receipts), list_conflicts(unit))

"""What PostgreSQL said, as the errors of the house. A password never gets into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic import errors

if TYPE_CHECKING:
    import psycopg

_BUSY = ("55P03", "40P01", "40001", "57014")  # lock timeout, deadlock, conflict, cancelled
_FULL = ("53100",)
_READ_ONLY = ("25006", "42501")  # a standby, or a role that may not write
_DAMAGED = ("XX000", "XX001", "XX002")
_TOO_BIG = ("54000", "54001", "22001")
_MISSING = ("42P01", "3F000", "42883", "42703")


def explain(error: psycopg.Error, place: str) -> errors.StoreError:
    """The typed error for what the server at ``place`` said."""
    code = error.sqlstate or ""
    message = f"{place}: {_first_line(error)}"
    if code in _FULL:
        return errors.DiskFull(
            f"No space left while writing {message}",
            remedy="Free some disk space on the server and call again; nothing was written",
        )
    if code in _BUSY:
        return errors.StoreBusy(
            f"Another process kept the space locked: {message}",
            remedy="End the program that holds a transaction, or raise store.busy_timeout",
        )
    if code in _READ_ONLY:
        return errors.StoreReadOnly(
            f"The database cannot be written: {message}",
            remedy="Connect to the primary server, or give the role the right to write",
        )
    if code in _TOO_BIG:
        return errors.StoreError(
            f"A value is too big for PostgreSQL: {message}", remedy="Split the text"
        )
    if code in _DAMAGED or code in _MISSING:
        return errors.StoreDamaged(
            f"The database does not answer as it should: {message}",
            remedy="It was left as it is; run `mnemic doctor`, look into the server's log, or"
            " restore a backup",
        )
    if "pooling mode" in message:
        return errors.StoreUnavailable(
            f"The pooler keeps no transactions: {message}",
            remedy="Give it pool_mode = transaction, or session",
        )
    if not code or code[:2] in ("08", "57", "53", "28", "3D"):
        return errors.StoreUnavailable(
            f"The server cannot be reached: {message}",
            remedy="Check that it runs, that the address is right, and that it lets you in",
        )
    return errors.StoreError(
        f"The database does not do what was asked: {message}",
        remedy="Look into the server's log",
    )


def _first_line(error: psycopg.Error) -> str:
    said = error.diag.message_primary or str(error)
    return next(iter(said.strip().splitlines()), type(error).__name__)

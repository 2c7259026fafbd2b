"""Errors as problem details (RFC 9457), and back into the error they were."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import UnionType
from typing import Any

from mnemic import errors
from mnemic.errors import MnemicError

MEDIA_TYPE = "application/problem+json"
_URN = "urn:mnemic:problem:"

# The first that an error is one of counts.
_STATUSES: tuple[tuple[int, type[MnemicError] | UnionType], ...] = (
    (502, errors.BadVector),
    (422, errors.InvalidInput),
    (404, errors.NotFound),
    (409, errors.Conflict | errors.ConfigError | errors.MemoryOff),
    (401, errors.Unauthorized),
    (403, errors.Forbidden),
    (413, errors.TooLarge),
    (429, errors.RateLimited),
    (501, errors.MissingExtra),
    (507, errors.DiskFull | errors.QuotaExceeded),
    (503, errors.ServiceUnavailable | errors.Closed | errors.StoreError),
    (503, errors.BudgetExhausted | errors.DeadlineReached | errors.ModelRateLimited),
    (502, errors.ModelError | errors.ServiceError),
)


def status_of(error: MnemicError) -> int:
    return next((status for status, kinds in _STATUSES if isinstance(error, kinds)), 500)


def problem_of(error: MnemicError) -> dict[str, Any]:
    """The document of an error: ``code`` is its class, ``remedy`` what to do about it."""
    name = type(error).__name__
    return {
        "type": _URN + name,
        "title": (type(error).__doc__ or name).partition(";")[0].partition("\n")[0].rstrip("."),
        "status": status_of(error),
        "detail": error.message,
        "remedy": error.remedy,
        "code": name,
    }


def retry_after(error: MnemicError) -> int | None:
    """Whole seconds after which the same request may work; None where waiting does not help."""
    wait = getattr(error, "retry_after", None)
    if isinstance(wait, timedelta):
        return max(1, round(wait.total_seconds()))
    return 1 if status_of(error) in (429, 503) else None


def error_of(status: int, document: Mapping[str, Any]) -> MnemicError:
    """The error that a problem document tells of."""
    kind = getattr(errors, str(document.get("code", "")), None)
    if not (isinstance(kind, type) and issubclass(kind, MnemicError)):
        kind = errors.ServiceError
    detail = str(document.get("detail") or document.get("title") or f"HTTP status {status}")
    return kind(detail, remedy=str(document.get("remedy", "")))

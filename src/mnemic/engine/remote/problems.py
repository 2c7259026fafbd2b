"""Errors as problem details (RFC 9457), and back into the error they were."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mnemic import errors
from mnemic.errors import MnemicError

MEDIA_TYPE = "application/problem+json"
_URN = "urn:mnemic:problem:"

# The first that an error is one of counts.
_STATUS: dict[type[MnemicError], int] = {
    errors.BadVector: 502,
    errors.InvalidInput: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.ConfigError: 409,
    errors.MemoryOff: 409,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.TooLarge: 413,
    errors.RateLimited: 429,
    errors.ServiceUnavailable: 503,
    errors.MissingExtra: 501,
    errors.Closed: 503,
    errors.BudgetExhausted: 503,
    errors.DeadlineReached: 503,
    errors.ModelRateLimited: 503,
    errors.ModelError: 502,
    errors.DiskFull: 507,
    errors.QuotaExceeded: 507,
    errors.StoreError: 503,
    errors.ServiceError: 502,
}


def status_of(error: MnemicError) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


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

"""Every error Mnemic raises, each with the remedy in its message.

MnemicError
├── ConfigError            a setting, preset or environment variable is wrong
├── InvalidInput           an argument cannot be stored or searched
├── NotFound               no such session, turn, memory, job …
├── Conflict               the same place is already taken by something else
├── Closed                 the mind was closed
├── MemoryOff              the switch memory.enabled is off, and plain files cannot do this
├── MissingExtra           an optional part is not installed
├── BudgetExhausted        the day's share for models is used up; ``until`` says when to go on
├── SyncRefused            a device, a change file or a shared folder is not to be trusted
├── DeadlineReached        the time given to a call was over before a model answered
├── ModelError             a model did not do what was asked
│   ├── ModelUnavailable   no answer in time, or not a whole one; may work later
│   │   └── ModelSuspended it failed a moment ago and is not asked until ``retry_after`` has passed
│   ├── ModelRefused       the input was not accepted or, ``away``, the key or model's name
│   ├── ModelRateLimited   too many requests; ``retry_after`` says when to come back
│   ├── BadAnswer          not what was asked for, also after it was given back for repair
│   └── BadVector          not a vector of finite numbers of the right length; an InvalidInput too
├── ServiceError           a memory behind an address could not be asked, or gave no usable answer
│   ├── ServiceUnavailable it cannot be reached, has too much to do, or took too long
│   ├── Unauthorized       the token is missing or wrong
│   ├── Forbidden          the token, the host name or the origin does not allow this
│   ├── TooLarge           more was sent than the service takes at once
│   └── RateLimited        too many requests with one token; ``retry_after`` says when to come back
└── StoreError             the database cannot do what was asked
    ├── StoreBusy          another process kept the write lock for too long
    ├── StoreReadOnly      file or folder cannot be written
    ├── StoreReplaced      the file was deleted or replaced while it was open
    ├── QuotaExceeded      a space has as much as it may have; nothing was written
    ├── DiskFull           no space left; nothing was written
    ├── StoreDamaged       the file is broken; it was left as it is
    ├── NotADatabase       the file is something else
    ├── WrongKey           the file is encrypted and the key is missing or another one
    ├── SchemaTooNew       written by a newer Mnemic; left untouched
    └── StoreUnavailable   the file or server cannot be opened
"""

from __future__ import annotations

from datetime import datetime, timedelta


class MnemicError(Exception):
    """Base of all errors; ``message`` says what happened, ``remedy`` what to do about it."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(f"{message}. {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy


class ConfigError(MnemicError):
    """A setting, preset or environment variable is wrong."""


class InvalidInput(MnemicError, ValueError):
    """An argument cannot be stored or searched."""


class NotFound(MnemicError, LookupError):
    """Nothing here has that name."""


class Conflict(MnemicError):
    """The place is taken by something else."""


class Closed(MnemicError):
    """The mind was closed before the call."""


class MemoryOff(MnemicError):
    """Memory is switched off (memory.enabled), and its plain files cannot do this."""


class MissingExtra(MnemicError, ImportError):
    """An optional part is not installed; the remedy is the install line."""

    @classmethod
    def of(cls, module: str, extra: str) -> MissingExtra:
        """The error for a module that comes with an extra."""
        return cls(
            f"{module} is not installed", remedy=f'Install it: pip install "mnemic[{extra}]"'
        )


class BudgetExhausted(MnemicError):
    """What models may use in a day is used up; ``until`` is when the next day begins."""

    def __init__(self, message: str, *, remedy: str = "", until: datetime | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.until = until


class SyncRefused(MnemicError):
    """A device, a change file or a shared folder cannot be trusted; nothing was taken from it."""


class DeadlineReached(MnemicError):
    """The time given to a call was over; what was begun is put off, not failed."""


class ModelError(MnemicError):
    """A model, here or behind an address, did not do what was asked.

    ``away``: whatever was asked, it would not have answered now, so the work waits until it does.
    ``retry_after`` is how long it will not be asked again, where that is known.
    """

    retryable = False
    away = False
    retry_after: timedelta | None = None


class ModelUnavailable(ModelError):
    """Network, timeout, a failing server or half an answer; the same call may work later.

    ``outage``: the server cannot be reached or says itself that it is down. ``status`` is the HTTP
    status that said so, where it was one.
    """

    retryable = True
    away = True

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        outage: bool = False,
        status: int | None = None,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.outage = outage
        self.status = status
        self.retry_after = retry_after


class ModelSuspended(ModelUnavailable):
    """The model failed before and is not asked again until ``retry_after`` has passed."""

    def __init__(
        self, message: str, *, remedy: str = "", retry_after: timedelta = timedelta()
    ) -> None:
        super().__init__(message, remedy=remedy, retry_after=retry_after)


class ModelRefused(ModelError):
    """The key, the model's name or the input was not accepted.

    ``status`` is the HTTP status that said so, where it was one. ``away``: not the input is at
    fault but the key, the address or the model's name, which people can put right.
    """

    def __init__(
        self, message: str, *, remedy: str = "", status: int | None = None, away: bool = False
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.away = away


class ModelRateLimited(ModelError):
    """Too many requests; ``retry_after`` is how long the server asked to wait, if it said so."""

    retryable = True
    away = True

    def __init__(
        self, message: str, *, remedy: str = "", retry_after: timedelta | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class BadAnswer(ModelError):
    """An answer is not what was asked for, also after it was given back for repair."""

    retryable = True


class BadVector(ModelError, InvalidInput):
    """A vector has the wrong shape, or holds something that is not a finite number."""


class ServiceError(MnemicError):
    """A memory behind an address could not be asked, or gave no usable answer."""


class ServiceUnavailable(ServiceError):
    """The service cannot be reached, has too much to do, or took too long."""


class Unauthorized(ServiceError):
    """The token is missing or wrong."""


class Forbidden(ServiceError):
    """The token, the host name or the origin does not allow this."""


class TooLarge(ServiceError):
    """More was sent than the service takes at once."""


class RateLimited(ServiceError):
    """Too many requests with one token; ``retry_after`` is how long to wait, where it is known."""

    def __init__(
        self, message: str, *, remedy: str = "", retry_after: timedelta | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class StoreError(MnemicError):
    """The database cannot do what was asked."""


class StoreBusy(StoreError):
    """Another process kept the write lock for longer than ``store.busy_timeout``."""


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class StoreReplaced(StoreError):
    """The file was deleted, moved or replaced while it was open; nothing was acknowledged."""


class QuotaExceeded(StoreError):
    """A space has as much as it may have; nothing was written."""


class DiskFull(StoreError):
    """No space left; the transaction was rolled back whole."""


class StoreDamaged(StoreError):
    """The file is broken; it was left as it is."""


class NotADatabase(StoreError):
    """The file is not a Mnemic database."""


class WrongKey(StoreError):
    """The file is encrypted and the key is missing or another one, or a plain file was given one;
    it was left untouched.
    """


class SchemaTooNew(StoreError):
    """The database was written by a newer Mnemic; it was left untouched."""


class StoreUnavailable(StoreError):
    """The file or server cannot be opened."""

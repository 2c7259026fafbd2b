"""Circuit breakers: calls to a server that failed are suspended for a growing time.

The state of an endpoint is shared by all its callers in this process, and measured by a clock that
never jumps. After the pause a single call is let through as a probe; its outcome closes
the circuit or doubles the pause.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import Literal, TypeVar

from mnemic import errors
from mnemic.locks import ForkSafeLock

FIRST_PAUSE = 30.0  # seconds
LONGEST_PAUSE = 900.0
_LONGEST_BELIEVED = 86_400.0  # seconds that a server may ask for
_TOLERATED = 2  # answers in a row that show a fault of the server, but no outage
_PROBE = 60.0  # seconds after which a probe that never ended is given up
_ENDPOINTS = 256
Monotonic = Callable[[], float]
T = TypeVar("T")
Passage = Literal["closed", "probe"]


class Breaker:
    """The circuit to one endpoint. Safe to use from several threads."""

    def __init__(self, service: str, monotonic: Monotonic) -> None:
        self._service, self._monotonic = service, monotonic
        self._lock = ForkSafeLock()
        self._faults, self._pause, self._probe_until = 0, 0.0, 0.0
        self._open_until: float | None = None

    def enter(self) -> Passage:
        """Ask to make a call, and report its outcome; ModelSuspended while the circuit is open."""
        with self._lock:
            if self._open_until is None:
                return "closed"
            now = self._monotonic()
            waits = max(self._open_until, self._probe_until) - now
            if waits > 0:
                raise self.to_error(waits)
            self._probe_until = now + _PROBE
            return "probe"

    def call(self, work: Callable[[float], T], timeout: float, hurry: timedelta | None = None) -> T:
        """The outcome of ``work``, which gets the seconds it may take, unless calls are suspended.

        ``hurry``: somebody waits, for no longer than this. An endpoint that failed before is then
        probed in the background, and this call fails at once.
        """
        if self.enter() == "probe" and hurry is not None:
            threading.Thread(
                target=self._probe, args=(work, timeout), name="mnemic-probe", daemon=True
            ).start()
            raise self.to_error(timeout)
        return self._attempt(
            work, timeout if hurry is None else min(hurry.total_seconds(), timeout)
        )

    def _probe(self, work: Callable[[float], T], timeout: float) -> None:
        # The outcome is kept here; nobody waits for this answer.
        with contextlib.suppress(errors.ModelError):
            self._attempt(work, timeout)

    def _attempt(self, work: Callable[[float], T], timeout: float) -> T:
        try:
            answer = work(timeout)
        except errors.ModelUnavailable as error:
            pause = self.record_failure(outage=error.outage)
            if not pause:
                raise
            raise errors.ModelUnavailable(
                f"{error.message}; it is not asked again for {pause:g} s",
                remedy=error.remedy,
                outage=error.outage,
                status=error.status,
                retry_after=timedelta(seconds=pause),
            ) from error
        except errors.ModelRateLimited as error:
            pause = self.record_failure(outage=True, at_least=error.retry_after)
            error.retry_after = timedelta(seconds=pause)
            raise
        except errors.DeadlineReached:
            self.end_probe()
            raise
        except BaseException:
            self.record_success()  # a refusal is an answer, too
            raise
        self.record_success()
        return answer

    def record_success(self) -> None:
        """The endpoint answered, be it with a refusal."""
        with self._lock:
            self._faults, self._pause = 0, 0.0
            self._open_until, self._probe_until = None, 0.0

    def end_probe(self) -> None:
        """The caller ran out of time, which says nothing about the endpoint: another may probe."""
        with self._lock:
            self._probe_until = 0.0

    def record_failure(self, *, outage: bool, at_least: timedelta | None = None) -> float:
        """The seconds the circuit is open now, 0 for a tolerated fault, ``at_least`` so many."""
        with self._lock:
            self._faults += 1
            if not outage and self._open_until is None and self._faults <= _TOLERATED:
                return 0.0
            self._pause = min(2 * self._pause or FIRST_PAUSE, LONGEST_PAUSE)
            requested = 0.0 if at_least is None else at_least.total_seconds()
            pause = max(self._pause, min(requested, _LONGEST_BELIEVED))
            self._open_until, self._probe_until = self._monotonic() + pause, 0.0
            return pause

    @property
    def remaining(self) -> float | None:
        """Seconds until the next probe, at least 0; None while the circuit is closed."""
        with self._lock:
            until = self._open_until
            return None if until is None else max(0.0, until - self._monotonic())

    def to_error(self, seconds: float) -> errors.ModelSuspended:
        return errors.ModelSuspended(
            f"{self._service} failed and is not asked again for {max(1, round(seconds))} s",
            remedy="Words answer meanwhile; check the server, see mnemic stats",
            retry_after=timedelta(seconds=max(0.1, seconds)),
        )


def run_guarded(
    breaker: Breaker | None,
    work: Callable[[float], T],
    timeout: float,
    hurry: timedelta | None = None,
) -> T:
    """The outcome of ``work``, behind a breaker where there is one."""
    return work(timeout) if breaker is None else breaker.call(work, timeout, hurry)


class Circuits:
    """The breakers that one mind uses."""

    def __init__(self, monotonic: Monotonic) -> None:
        self._monotonic = monotonic
        self._used: dict[str, Breaker] = {}

    def of(self, service: str, base_url: str) -> Breaker:
        """The breaker of an endpoint, the same for everybody in this process."""
        with _guard:
            breaker = _share_breaker(service, base_url, self._monotonic)
        self._used[f"{service} {base_url}"] = breaker
        return breaker

    def own(self, service: str) -> Breaker:
        """A breaker of this mind alone, for an object that its host has given."""
        breaker = self._used[service] = Breaker(service, self._monotonic)
        return breaker

    def list_suspended(self) -> list[str]:
        """A line for each endpoint that is suspended at present."""
        return [
            breaker.to_error(remaining).message
            for breaker in self._used.values()
            if (remaining := breaker.remaining) is not None
        ]


_guard = ForkSafeLock()


@lru_cache(_ENDPOINTS)
def _share_breaker(service: str, base_url: str, monotonic: Monotonic) -> Breaker:
    return Breaker(service, monotonic)

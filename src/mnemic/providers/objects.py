"""Calls of an object that the host has given: in time, behind a breaker, failures typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta

from mnemic.errors import InvalidInput, MnemicError, ModelError, ModelUnavailable
from mnemic.providers.breaker import Breaker, guarded
from mnemic.providers.deadline import call_within

_LONGEST_NAME = 200


def name_of(given: object, argument: str) -> str:
    """The name of an object, checked once: it is stored with what the object makes."""
    name = getattr(given, "name", None)
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
        raise InvalidInput(
            f"{argument} has no name", remedy="Give it a name, such as name = 'my-model-1'"
        )
    return name


def method_of(given: object, name: str, argument: str) -> Callable[..., object]:
    """A method of an object, which must not be a coroutine function."""
    method: Callable[..., object] | None = getattr(given, name, None)
    if not callable(method):
        raise InvalidInput(f"{argument} has no method {name}", remedy=f"Give it {name}()")
    if inspect.iscoroutinefunction(method):
        raise InvalidInput(
            f"{argument}.{name} is a coroutine function",
            remedy="Give it a plain method; it is called on a thread of its own",
        )
    return method


class GuardedObject:
    """Calls methods of one object, each within its timeout."""

    def __init__(self, service: str, timeout: timedelta, breaker: Breaker | None) -> None:
        self._service = service
        self._timeout = timeout.total_seconds()
        self._breaker = breaker

    def call(self, work: Callable[[], object], *, hurry: timedelta | None = None) -> object:
        """The answer, not checked yet. ``hurry`` is for a query, which somebody waits for."""
        return guarded(
            self._breaker,
            lambda timeout: call_within(
                timeout, lambda _: self._typed(work), lambda: self._too_slow(timeout)
            ),
            self._timeout,
            hurry,
        )

    def _too_slow(self, timeout: float) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._service} did not answer within {timeout:g} s",
            remedy="Make it answer sooner, or raise the timeout",
            outage=True,
        )

    def _typed(self, work: Callable[[], object]) -> object:
        try:
            return work()
        except (ModelError, MemoryError):
            raise
        except Exception as error:
            # Without the words of the error: they may hold what was asked, or a key.
            raise ModelUnavailable(
                f"{self._service} raised {_type_name(error)}",
                remedy="See the error it was raised from; raise a mnemic.ModelError to say more",
                outage=isinstance(error, OSError),
            ) from error


def _type_name(error: Exception) -> str:
    kind = type(error)
    return kind.__name__ if isinstance(error, MnemicError) else kind.__qualname__

"""Echo suppression: what memory put into a prompt is noted, and taken out of what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.locks import ForkSafeLock
from recollect.rules.echo import fingerprints
from recollect.settings.around import Trust
from recollect.store.base import Store, Unit
from recollect.types import EMPTY, SafeName

ANYWHERE = EMPTY
_GATHERED = 500  # texts
_MOST = 20 * _GATHERED  # while nothing can be written


class Injected:
    """What went into prompts since it was last written down. Recall must not wait for a write, so
    it is gathered here and written before anything is learnt.
    """

    def __init__(self, store: Store, space: str, clock: Clock, settings: Trust) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._lock = ForkSafeLock()
        self._texts: dict[SafeName, list[str]] = {}
        self._count = 0

    def add(self, session: SafeName | None, texts: Iterable[str]) -> None:
        """Note texts that were given to a host for this session, or for no one in particular."""
        if not self._settings.suppress_echo or self._store.read_only:
            return  # what cannot be learnt needs no mark
        listed = list(texts)
        with self._lock:
            self._texts.setdefault(session or ANYWHERE, []).extend(listed)
            self._count += len(listed)
            full = self._count >= _GATHERED
        if full:
            # Who asked for evidence gets it all the same; the job that needs this flushes again.
            with suppress(StoreError):
                self.flush()

    def flush(self) -> None:
        """Write down what was gathered."""
        with self._lock:
            texts, self._texts, self._count = self._texts, {}, 0
        if not texts:
            return
        now = self._clock.now()
        try:
            with self._store.write(self._space) as unit:
                for session, some in texts.items():
                    note_injected(unit, session, dict.fromkeys(some), now, self._settings)
        except StoreError:
            self._put_back(texts)
            raise

    def _put_back(self, texts: Mapping[SafeName, Sequence[str]]) -> None:
        """What could not be written down waits for the next time, as long as it is not too much."""
        with self._lock:
            for session, some in texts.items():
                if self._count > _MOST:
                    return
                self._texts.setdefault(session, []).extend(some)
                self._count += len(some)


def note_injected(
    unit: Unit, session: SafeName, texts: Iterable[str], now: datetime, settings: Trust
) -> None:
    """Remember texts that go into a prompt of this session; ``ANYWHERE`` if it is not known."""
    lines: dict[int, tuple[int, ...]] = {}
    for text in texts:
        lines.update(fingerprints(text))
    if lines and settings.suppress_echo:
        unit.echoes.drop(now - settings.echo_keep)
        unit.echoes.note(session, lines, now, settings.echo_lines)


def known_marks(
    unit: Unit, session: SafeName, now: datetime, settings: Trust
) -> frozenset[int] | None:
    """The marks to look for in the turns of a session; None where echoes count like anything."""
    if not settings.suppress_echo:
        return None
    return unit.echoes.marks(session, now - settings.echo_keep)

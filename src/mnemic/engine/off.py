"""Memory switched off: the same Mind on plain files that people read and edit.

There is no database, not even an open file of one. Nothing is learnt: what is recorded is imported
when memory is switched on again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NoReturn

from mnemic.clock import Clock
from mnemic.context.build import Builder
from mnemic.days import Zone, noon
from mnemic.documents.fallback.files import Folder
from mnemic.documents.fallback.store import PlainFileStore
from mnemic.engine.background import BackgroundWork
from mnemic.engine.mind import Mind
from mnemic.engine.services import Services
from mnemic.engine.shared import share
from mnemic.errors import MemoryOff, NotFound
from mnemic.language.gate import Verdict
from mnemic.recall.prompt_sources import PromptSources
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.settings.values import Size
from mnemic.store.sqlite.connection import MEMORY
from mnemic.types import Decision, Drained, Finding, Hit, Kind, Memory, Receipt, RecordType, Why

# The calls that plain files can answer; every other call of a Mind is refused.
SERVED = frozenset(
    """session record record_turn record_many end_session sessions turns events note_failure
    remember memories get projects pending note_shown history recall retrieve evidence words context
    gate jobs drain work stats doctor close""".split()
)
_RECORDS: tuple[RecordType, ...] = ("memory", "turn")  # nothing else is in the files
_ROUTES = (*_RECORDS, "time", "exact")
_ALL = 10_000
_REMEDY = "Set memory.enabled = true, or MNEMIC_ENABLED=true"


def open_off(folder: Folder, space: str, settings: Settings, clock: Clock) -> PlainFileMind:
    """A Mind whose space is in RAM and kept in the files of a folder."""
    inner = _without_models(settings)
    store = PlainFileStore(folder, space, inner, clock.now)
    background = BackgroundWork(share(store, MEMORY, inner, clock), threads=1, threaded=False)
    services = background.open_spaces.get(space)
    caches = (services.short_term.clear, services.scratchpads.clear)
    store.attach(services.memories, caches)
    services.context = _everything(store, space, inner, clock, services)
    mind = PlainFileMind(services, background, store.close)
    mind.settings = settings
    return mind


def _without_models(settings: Settings) -> Settings:
    """No model, no vectors, no rules of the bus; every statement is part of the core."""
    return settings.replace(
        extraction=settings.extraction.replace(engine="rules"),
        index=settings.index.replace(vectors="none"),
        recall=settings.recall.replace(rerank_folder="", touch=False, routes=_ROUTES),
        ranking=settings.ranking.replace(fusion="learned"),  # use and importance are not known
        events=settings.events.replace(rules={}),
        upkeep=settings.upkeep.replace(core_importance=0.0, core_choice="important"),
    )


def _everything(
    store: PlainFileStore, space: str, settings: Settings, clock: Clock, services: Services
) -> Builder:
    """Prompts with all statements and the logs of the last days, as far as the budget goes: there
    is no index that could choose among them.
    """
    context = settings.context
    whole = Size(tokens=context.total or context.window)
    wide = settings.replace(
        capacity=settings.capacity.replace(core=_ALL),
        recall=settings.recall.replace(evidence=_ALL, evidence_score=0.0),
        context=context.replace(
            disclosure="injected",
            sections={**context.sections, "core": whole, "evidence": whole},
        ),
    )
    sources = PromptSources(store, space, clock, wide, services.recall).sources(
        services.short_term,
        scratchpad=services.scratchpads.open_tasks,
        cards=lambda persona: {},
        pending=list,
    )

    def logs(query: str, **about: object) -> list[Hit]:
        days, zone = reversed(store.logged_days().items()), services.recall.zone()
        return [_log_hit(day, text, zone) for day, text in days]

    everything = replace(
        sources,
        gate=lambda message: Verdict(True, "off"),
        recall=logs,
        without_outdated=lambda query, hits: hits,
    )
    return Builder(everything, wide)


def _log_hit(day: date, text: str, zone: Zone) -> Hit:
    """The log of one day."""
    at, name = noon(day, zone), day.isoformat()
    return Hit("episode", f"{name}.md", text, 1.0, Why(("recent",), {}), (), at, session=name)


class PlainFileMind(Mind):
    """The memory of one space while memory is switched off."""

    _store: PlainFileStore

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended, also one that only the database knows."""
        self._services.ledger.open_session(session, "", "")
        super().end_session(session)

    def remember(
        self, text: str, *, kind: Kind | str = "", sources: Iterable[str] = (), **rest: Any
    ) -> Decision:
        """Keep a statement; with ``supersedes`` as the next version of another in the files."""
        if kind and self._guard.kind(kind) == "credential":
            raise _refusal("Plain files keep no credentials, since they cannot seal them")
        if checks.check_several(sources, "sources"):
            raise _refusal("Plain files cannot link a statement to its turns")
        try:
            return super().remember(text, kind=kind, **rest)
        except NotFound as error:
            raise _refusal(f"{error} in the plain files") from error

    def memories(self, **query: Any) -> list[Memory]:
        """Memories that hold now, the latest first."""
        if query.get("as_of") is not None or query.get("known_at") is not None:
            raise _refusal("Plain files do not know what was known when")
        return super().memories(**query)

    def recall(
        self, query: str, *, of: Iterable[RecordType] | RecordType | None = None, **rest: Any
    ) -> list[Hit]:
        """The best of the statements and the logs."""
        return super().recall(query, of=_RECORDS if of is None else of, **rest)

    def drain(self, timeout: timedelta | float | None = None, *, due_only: bool = False) -> Drained:
        """Nothing is queued here."""
        return Drained(0, 0, 0)

    def work(self) -> None:
        """Nothing is queued here."""

    def doctor(self, *, deep: bool = True, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Says that memory is off."""
        detail = f"memory is off; the plain files in {self._store.folder.path} answer"
        return [Finding("switch", ok=False, detail=detail, remedy=_REMEDY)]


def _refusal(problem: str) -> MemoryOff:
    return MemoryOff(f"{problem}; memory is switched off (memory.enabled)", remedy=_REMEDY)


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(self: PlainFileMind, *args: object, **named: object) -> NoReturn:
        raise _refusal(f"Plain files cannot do this: {name}")

    refuse.__name__ = name
    return refuse


for _name, _call in inspect.getmembers(Mind, inspect.isfunction):
    if not _name.startswith("_") and _name not in SERVED:
        setattr(PlainFileMind, _name, _refused(_name))

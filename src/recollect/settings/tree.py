"""All settings as one tree."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.settings.around import (
    Chat,
    Documents,
    Embedding,
    Identity,
    Index,
    Model,
    Secrets,
    Store,
    Switch,
    Trust,
)
from recollect.settings.keeping import (
    Capacity,
    Decay,
    Events,
    Lifetimes,
    Schedule,
    Upkeep,
)
from recollect.settings.reading import Context, Gate, Ranking, Recall, ShortTerm
from recollect.settings.section import Section, group, text
from recollect.settings.tools import Tools
from recollect.settings.values import Origin, Secret
from recollect.settings.writing import (
    Attachments,
    Extraction,
    Jobs,
    Ledger,
    Pending,
    Reconcile,
    Routing,
    Scratchpad,
    Triggers,
)


class Settings(Section):
    """Every number, name and switch of the engine."""

    __slots__ = ("_origins",)

    preset: str = text("default", "The preset these settings start from.", empty=False)
    memory: Switch = group(Switch)
    ledger: Ledger = group(Ledger)
    attachments: Attachments = group(Attachments)
    triggers: Triggers = group(Triggers)
    extraction: Extraction = group(Extraction)
    reconcile: Reconcile = group(Reconcile)
    routing: Routing = group(Routing)
    pending: Pending = group(Pending)
    jobs: Jobs = group(Jobs)
    scratchpad: Scratchpad = group(Scratchpad)
    short_term: ShortTerm = group(ShortTerm)
    gate: Gate = group(Gate)
    recall: Recall = group(Recall)
    ranking: Ranking = group(Ranking)
    context: Context = group(Context)
    tools: Tools = group(Tools)
    lifetimes: Lifetimes = group(Lifetimes)
    decay: Decay = group(Decay)
    capacity: Capacity = group(Capacity)
    schedule: Schedule = group(Schedule)
    upkeep: Upkeep = group(Upkeep)
    events: Events = group(Events)
    documents: Documents = group(Documents)
    identity: Identity = group(Identity)
    chat: Chat = group(Chat)
    model: Model = group(Model)
    embedding: Embedding = group(Embedding)
    index: Index = group(Index)
    store: Store = group(Store)
    trust: Trust = group(Trust)
    secrets: Secrets = group(Secrets)

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Which layer set each key, for settings that were loaded; else empty."""
        origins: Mapping[str, Origin] = getattr(self, "_origins", {})
        return origins

    @property
    def memory_model(self) -> Model:
        """The memory model with everything it borrows from ``chat`` filled in."""
        model, chat = self.model, self.chat
        if model.provider == "chat":
            # The key of chat goes to the address of chat, never to another one.
            borrowed = Secret() if model.base_url else chat.api_key
            model = model.replace(
                provider=chat.provider,
                api_key=model.api_key or borrowed,
                base_url=model.base_url or chat.base_url,
            )
        return model.replace(
            name=model.name or chat.name, max_tokens=model.max_tokens or chat.max_tokens
        )

"""All settings as one tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Self

from mnemic.settings.environment import (
    ChatSettings,
    DocumentSettings,
    EmbeddingSettings,
    IdentitySettings,
    IndexSettings,
    MemorySettings,
    ModelSettings,
    SecretSettings,
    StoreSettings,
    ToolSettings,
    TrustSettings,
)
from mnemic.settings.group import SettingsGroup, group, text
from mnemic.settings.learning import (
    AttachmentSettings,
    ExtractionSettings,
    JobSettings,
    LedgerSettings,
    PendingSettings,
    ReconcileSettings,
    RoutingSettings,
    ScratchpadSettings,
    TriggerSettings,
)
from mnemic.settings.recall import (
    ContextSettings,
    GateSettings,
    RankingSettings,
    RecallSettings,
    ShortTermSettings,
)
from mnemic.settings.upkeep import (
    BackupSettings,
    CapacitySettings,
    DecaySettings,
    EventSettings,
    LifetimeSettings,
    ScheduleSettings,
    UpkeepSettings,
)
from mnemic.settings.values import Secret, Table, ValueOrigin
from mnemic.settings.vocabulary import PresetVocabulary, vocabulary_of


class Settings(SettingsGroup):
    """Every number, name and switch of the engine."""

    preset: str = text("default", "The preset these settings start from.", empty=False)
    memory: MemorySettings = group(MemorySettings)
    ledger: LedgerSettings = group(LedgerSettings)
    attachments: AttachmentSettings = group(AttachmentSettings)
    triggers: TriggerSettings = group(TriggerSettings)
    extraction: ExtractionSettings = group(ExtractionSettings)
    reconcile: ReconcileSettings = group(ReconcileSettings)
    routing: RoutingSettings = group(RoutingSettings)
    pending: PendingSettings = group(PendingSettings)
    jobs: JobSettings = group(JobSettings)
    scratchpad: ScratchpadSettings = group(ScratchpadSettings)
    short_term: ShortTermSettings = group(ShortTermSettings)
    gate: GateSettings = group(GateSettings)
    recall: RecallSettings = group(RecallSettings)
    ranking: RankingSettings = group(RankingSettings)
    context: ContextSettings = group(ContextSettings)
    tools: ToolSettings = group(ToolSettings)
    lifetimes: LifetimeSettings = group(LifetimeSettings)
    decay: DecaySettings = group(DecaySettings)
    capacity: CapacitySettings = group(CapacitySettings)
    schedule: ScheduleSettings = group(ScheduleSettings)
    upkeep: UpkeepSettings = group(UpkeepSettings)
    backup: BackupSettings = group(BackupSettings)
    events: EventSettings = group(EventSettings)
    documents: DocumentSettings = group(DocumentSettings)
    identity: IdentitySettings = group(IdentitySettings)
    chat: ChatSettings = group(ChatSettings)
    model: ModelSettings = group(ModelSettings)
    embedding: EmbeddingSettings = group(EmbeddingSettings)
    index: IndexSettings = group(IndexSettings)
    store: StoreSettings = group(StoreSettings)
    trust: TrustSettings = group(TrustSettings)
    secrets: SecretSettings = group(SecretSettings)

    @property
    def origins(self) -> Mapping[str, ValueOrigin]:
        """Which layer set each key, for settings that were loaded; else empty."""
        origins: Mapping[str, ValueOrigin] = self.__dict__.get("_origins", {})
        return origins

    def with_origins(self, origins: Mapping[str, ValueOrigin]) -> Self:
        """The same settings that know where each of them came from."""
        return self.trusted({**self.values(), "_origins": Table(origins)})

    @property
    def vocabulary(self) -> PresetVocabulary:
        """The words of the preset's document."""
        return vocabulary_of(self.preset)

    @property
    def merge_categories(self) -> tuple[frozenset[str], ...]:
        """Kinds within which alike statements are one, where the preset's document says so."""
        return _merge_categories(self.preset)

    @property
    def memory_model(self) -> ModelSettings:
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


@cache
def _merge_categories(preset: str) -> tuple[frozenset[str], ...]:
    from mnemic.settings.layers import read_preset

    if not read_preset(preset)[0].get("merge_within_category"):
        return ()
    return tuple(map(frozenset, vocabulary_of(preset).kinds.table.values()))

"""All settings as one tree."""

from collections.abc import Mapping
from functools import cached_property
from typing import Self

from mnemic.settings import environment, learning
from mnemic.settings import recall as recall_
from mnemic.settings import upkeep as upkeep_
from mnemic.settings.environment import ModelSettings
from mnemic.settings.group import SettingsGroup, setting
from mnemic.settings.values import Secret, Table, ValueOrigin
from mnemic.settings.vocabulary import PresetVocabulary, vocabulary_of


class Settings(SettingsGroup):
    """Every number, name and switch of the engine."""

    preset: str = setting("default", empty=False)
    memory: environment.MemorySettings = environment.MemorySettings()
    ledger: learning.LedgerSettings = learning.LedgerSettings()
    attachments: learning.AttachmentSettings = learning.AttachmentSettings()
    triggers: learning.TriggerSettings = learning.TriggerSettings()
    extraction: learning.ExtractionSettings = learning.ExtractionSettings()
    reconcile: learning.ReconcileSettings = learning.ReconcileSettings()
    routing: learning.RoutingSettings = learning.RoutingSettings()
    pending: learning.PendingSettings = learning.PendingSettings()
    jobs: learning.JobSettings = learning.JobSettings()
    scratchpad: learning.ScratchpadSettings = learning.ScratchpadSettings()
    short_term: recall_.ShortTermSettings = recall_.ShortTermSettings()
    gate: recall_.GateSettings = recall_.GateSettings()
    recall: recall_.RecallSettings = recall_.RecallSettings()
    ranking: recall_.RankingSettings = recall_.RankingSettings()
    context: recall_.ContextSettings = recall_.ContextSettings()
    tools: environment.ToolSettings = environment.ToolSettings()
    lifetimes: upkeep_.LifetimeSettings = upkeep_.LifetimeSettings()
    decay: upkeep_.DecaySettings = upkeep_.DecaySettings()
    capacity: upkeep_.CapacitySettings = upkeep_.CapacitySettings()
    schedule: upkeep_.ScheduleSettings = upkeep_.ScheduleSettings()
    upkeep: upkeep_.UpkeepSettings = upkeep_.UpkeepSettings()
    backup: upkeep_.BackupSettings = upkeep_.BackupSettings()
    sync: upkeep_.SyncSettings = upkeep_.SyncSettings()
    events: upkeep_.EventSettings = upkeep_.EventSettings()
    documents: environment.DocumentSettings = environment.DocumentSettings()
    identity: environment.IdentitySettings = environment.IdentitySettings()
    chat: environment.ChatSettings = environment.ChatSettings()
    model: environment.ModelSettings = environment.ModelSettings()
    embedding: environment.EmbeddingSettings = environment.EmbeddingSettings()
    index: environment.IndexSettings = environment.IndexSettings()
    store: environment.StoreSettings = environment.StoreSettings()
    trust: environment.TrustSettings = environment.TrustSettings()
    secrets: environment.SecretSettings = environment.SecretSettings()

    @property
    def origins(self) -> Mapping[str, ValueOrigin]:
        """Which layer set each key, for settings that were loaded; else empty."""
        origins: Mapping[str, ValueOrigin] = self.__dict__.get("_origins", {})
        return origins

    def with_origins(self, origins: Mapping[str, ValueOrigin]) -> Self:
        """The same settings that know where each of them came from."""
        return self.build({**self.values(), "_origins": Table(origins)})

    @property
    def vocabulary(self) -> PresetVocabulary:
        """The words of the preset's document."""
        return vocabulary_of(self.preset)

    @cached_property
    def merge_categories(self) -> tuple[frozenset[str], ...]:
        """Kinds within which alike statements are one, where the preset's document says so."""
        from mnemic.settings.layers import read_preset

        merges = read_preset(self.preset)[0].get("merge_within_category")
        return tuple(map(frozenset, self.vocabulary.kinds.table.values())) if merges else ()

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

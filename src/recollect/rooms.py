"""The rooms of a mind, each with its own subject; ``Mind`` only leads to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recollect.context.build import Builder
from recollect.context.window import ShortTermMemory
from recollect.documents.library import Documents
from recollect.documents.onboarding import Onboarding
from recollect.forget.forgetting import Forgetting
from recollect.health.audit import Audit
from recollect.health.doctor import Doctor
from recollect.health.metrics import Uses
from recollect.jobs.worker import Worker
from recollect.learn.compression import Compression
from recollect.learn.echo import Injected
from recollect.learn.memories import MemoryWriter
from recollect.learn.pending import PendingQueue
from recollect.learn.proposals import Proposals
from recollect.learn.rollback import Rollback
from recollect.learn.scratchpads import Scratchpads
from recollect.learn.session_end import Closing
from recollect.providers.breaker import Circuits
from recollect.providers.chat.base import ChatModel
from recollect.recall.engine import Recall
from recollect.recall.touches import Touches
from recollect.recall.vectors import VectorRoute
from recollect.record.attachments import Files
from recollect.record.ledger import LedgerReader
from recollect.record.recorder import Recorder
from recollect.upkeep.bus import Bus
from recollect.upkeep.upkeep import Upkeep


@dataclass(frozen=True, slots=True)
class Rooms:
    """Everything a mind leads to."""

    recorder: Recorder
    book: LedgerReader
    closing: Closing
    compression: Compression
    files: Files
    keeper: MemoryWriter
    inbox: PendingQueue
    proposals: Proposals
    rollback: Rollback
    pads: Scratchpads
    recall: Recall
    touches: Touches
    injected: Injected
    context: Builder
    short_term: ShortTermMemory
    upkeep: Upkeep
    rules: Bus
    onboarding: Onboarding
    forgetting: Forgetting
    uses: Uses
    audit: Audit
    doctor: Doctor
    worker: Worker
    transcripts: Path | None
    documents: Path | None
    library: Documents | None
    meaning: VectorRoute | None
    model: ChatModel | None
    circuits: Circuits

"""The rooms of a mind, each with its own subject; ``Mind`` only leads to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recollect.context.build import Builder
from recollect.context.window import ShortTermMemory
from recollect.documents.library import Documents
from recollect.identity.onboarding import Onboarding
from recollect.ingest.echo import Injected
from recollect.ingest.files import Files
from recollect.ingest.learning.compressing import Compression
from recollect.ingest.learning.ending import Closing
from recollect.ingest.ledger import LedgerBook
from recollect.ingest.memories import Keeper
from recollect.ingest.pending import Inbox
from recollect.ingest.proposing import Proposals
from recollect.ingest.recorder import Recorder
from recollect.ingest.rollback import Rollback
from recollect.ingest.scratchpads import Scratchpads
from recollect.jobs.worker import Worker
from recollect.providers.breaker import Circuits
from recollect.providers.chat.base import ChatModel
from recollect.recall.engine import Recall
from recollect.recall.touches import Touches
from recollect.recall.vectors import VectorRoute
from recollect.upkeep.audit import Audit
from recollect.upkeep.bus import Bus
from recollect.upkeep.doctoring import Doctor
from recollect.upkeep.forgetting import Forgetting
from recollect.upkeep.metrics import Uses
from recollect.upkeep.upkeep import Upkeep


@dataclass(frozen=True, slots=True)
class Rooms:
    """Everything a mind leads to."""

    recorder: Recorder
    book: LedgerBook
    closing: Closing
    compression: Compression
    files: Files
    keeper: Keeper
    inbox: Inbox
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

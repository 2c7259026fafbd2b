"""The folders of a space's documents, beside the database."""

from __future__ import annotations

from pathlib import Path

from mnemic.late import dataclass
from mnemic.record.transcripts import folder_of
from mnemic.settings import Settings
from mnemic.store.paths import USUAL_NAME, claim_folder, own_base, own_folder


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of documents and daily reports; below the bases no link is followed."""

    documents: Path
    reports: Path
    documents_base: Path
    reports_base: Path


def folders_of(database: Path, space: str, settings: Settings) -> Folders:
    """Beside the database; each space but the default has folders of its own."""
    return Folders(
        folder_of(_beside(database, settings.documents.folder), space),
        folder_of(_beside(database, settings.upkeep.report_folder), space),
        own_base(database, settings.documents.folder),
        own_base(database, settings.upkeep.report_folder),
    )


def _beside(database: Path, folder: str) -> Path:
    """Databases in one folder share no documents: an unusual name goes before the folder's."""
    if Path(folder).name != folder:
        return own_folder(database, folder)
    usual = database.name == USUAL_NAME
    return database.parent / (folder if usual else f"{database.stem}-{folder}")


def claim_folders(database: Path, settings: Settings) -> None:
    """Claim the folders whose names do not tell the database."""
    ledger, documents = settings.ledger, settings.documents
    folders = [ledger.jsonl_folder] if ledger.jsonl else []
    if documents.write and Path(documents.folder).name != documents.folder:
        folders.append(documents.folder)
    for folder in folders:
        claim_folder(database, folder)

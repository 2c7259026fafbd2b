"""The shared parts that write into the text index, with PostgreSQL's."""

from __future__ import annotations

from recollect.store.postgres.terms import TERMS
from recollect.store.sql.attachments import SqlAttachments
from recollect.store.sql.episodes import SqlEpisodes
from recollect.store.sql.erasure import SqlEraser
from recollect.store.sql.ledger import SqlLedger
from recollect.store.sql.memories import SqlMemories


class PostgresLedger(SqlLedger):
    """The ledger of one space on one connection."""

    index = TERMS


class PostgresMemories(SqlMemories):
    """The memories of one space on one connection."""

    index = TERMS


class PostgresEpisodes(SqlEpisodes):
    """The episodes of one space on one connection."""

    index = TERMS


class PostgresAttachments(SqlAttachments):
    """The attachments of one space on one connection."""

    index = TERMS


class PostgresEraser(SqlEraser):
    """Forgetting in one space on one connection."""

    index = TERMS

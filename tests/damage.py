"""What is broken on purpose in a memory that nobody has open."""

from __future__ import annotations

from pathlib import Path

import apsw

from tests.postgres.server import damage


def drop_indexes(target: Path | str) -> None:
    """Neither words nor vectors can be looked up."""
    if isinstance(target, str):
        damage(target, "DROP TABLE text_postings, vectors")
        return
    file = apsw.Connection(str(target))
    for table in ("text_index_data", "vectors"):
        file.execute(f"DROP TABLE {table}")
    file.close()

-- Version 2: vectors. Several passages of one document may each have one; the document's number puts
-- a space's records of one type side by side, so a scan reads only what it may find.

CREATE TABLE embedders (
    number      INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    dimensions  INTEGER NOT NULL
) STRICT;

CREATE TABLE vectors (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    part      INTEGER NOT NULL,
    vector    BLOB NOT NULL,                    -- 32-bit floats of length 1
    PRIMARY KEY (space, embedder, doc, part)
) STRICT, WITHOUT ROWID;

-- How far embedding has come: every document of a type up to `doc` has its vectors.
CREATE TABLE embedded (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    type      TEXT NOT NULL,
    doc       INTEGER NOT NULL,
    PRIMARY KEY (space, embedder, type)
) STRICT, WITHOUT ROWID;

-- Documents below that mark whose text has changed since.
CREATE TABLE changed_texts (
    space   INTEGER NOT NULL,
    doc     INTEGER NOT NULL,
    change  INTEGER NOT NULL,                   -- counts up: a change during embedding is not lost
    PRIMARY KEY (space, doc)
) STRICT, WITHOUT ROWID;

-- Counts the times vectors were changed or removed rather than added: an index in memory that has
-- seen another count starts afresh.
CREATE TABLE vector_rewrites (
    space  INTEGER NOT NULL PRIMARY KEY,
    count  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What paid models answered, so that the same text is never paid for twice.
CREATE TABLE embedding_cache (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    hash      BLOB NOT NULL,
    vector    BLOB NOT NULL,
    PRIMARY KEY (space, embedder, hash)
) STRICT, WITHOUT ROWID;

-- Every turn would move its session in it; sessions are few enough to be sorted when listed.
DROP INDEX sessions_by_time;

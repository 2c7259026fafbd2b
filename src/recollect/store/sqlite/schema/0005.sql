-- Version 5: how far learning from each session has come.

-- Every turn up to this doc has ended: extracted, empty or dead.
ALTER TABLE sessions ADD COLUMN extracted INTEGER NOT NULL DEFAULT -1;
-- How often a single message has set off an extraction.
ALTER TABLE sessions ADD COLUMN prompted INTEGER NOT NULL DEFAULT 0;

-- What is always known is found without reading the rest.
CREATE INDEX memories_by_importance ON memories (space, status, importance);

-- Vectors side by side in the pages of a plain table: in a table without row ids every vector of more
-- than about 1,000 bytes takes a page of its own.
CREATE TABLE vectors_new (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    part      INTEGER NOT NULL,
    vector    BLOB NOT NULL                     -- 32-bit floats of length 1
) STRICT;
INSERT INTO vectors_new SELECT * FROM vectors ORDER BY space, embedder, doc, part;
DROP TABLE vectors;
ALTER TABLE vectors_new RENAME TO vectors;
CREATE UNIQUE INDEX vectors_by_doc ON vectors (space, embedder, doc, part);

CREATE TABLE embedding_cache_new (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    hash      BLOB NOT NULL,
    vector    BLOB NOT NULL
) STRICT;
INSERT INTO embedding_cache_new SELECT * FROM embedding_cache;
DROP TABLE embedding_cache;
ALTER TABLE embedding_cache_new RENAME TO embedding_cache;
CREATE UNIQUE INDEX embedding_cache_by_hash ON embedding_cache (space, embedder, hash);

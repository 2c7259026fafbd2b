-- Token vectors: what the reader keeps of a record beside its pooled vectors, 64 signed bytes a
-- token. Apart from `vectors`, which are read through as a whole.
CREATE TABLE token_vectors (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    tokens    BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX token_vectors_by_doc ON token_vectors (space, embedder, doc);

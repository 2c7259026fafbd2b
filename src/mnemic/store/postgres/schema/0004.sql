-- Token vectors: what the reader keeps of a record beside its pooled vectors, as SQLite's 0010.sql.
CREATE TABLE token_vectors (
    space     BIGINT NOT NULL,
    embedder  BIGINT NOT NULL,
    doc       BIGINT NOT NULL,
    tokens    BYTEA NOT NULL,
    PRIMARY KEY (space, embedder, doc)
);

ALTER TABLE token_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE token_vectors FORCE ROW LEVEL SECURITY;

CREATE POLICY own_space ON token_vectors USING (space = own_space());

-- Version 6: what was last written to each document, as fingerprints only, so that what a person
-- changed since can be told; and what people chose to see in them.

CREATE TABLE documents (
    space           INTEGER NOT NULL,
    name            TEXT NOT NULL,
    written         TEXT,                       -- what the file was left with
    writing         TEXT,                       -- what was about to be put in its place
    rolled_through  TEXT NOT NULL,              -- the last memory that went into an archive
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_choices (
    space     INTEGER NOT NULL,
    document  TEXT NOT NULL,
    memory    TEXT NOT NULL,
    choice    TEXT NOT NULL,                    -- pinned, hidden, or asked: is it to be forgotten?
    at        INTEGER NOT NULL,
    PRIMARY KEY (space, document, memory)
) STRICT, WITHOUT ROWID;

-- Version 3: learning, stories, documents and upkeep.

-- What a memory says of its subject, how often it was confirmed, and the pending inbox.
-- `slot` is subject and predicate in one folded form (rules/slots.py), so that "Python Version" and
-- "ｐｙｔｈｏｎ version" are one question; rows from before are folded as far as SQL can.

ALTER TABLE memories ADD COLUMN value TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN slot TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN confirmations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN session TEXT NOT NULL DEFAULT '';  -- it ends with this session
ALTER TABLE memories ADD COLUMN snoozed_until INTEGER;             -- "later": not offered before
ALTER TABLE memories ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;

UPDATE memories SET slot = lower(trim(subject)) || char(31) || lower(trim(predicate))
WHERE trim(subject) != '' AND trim(predicate) != '';

DROP INDEX memories_by_slot;
CREATE INDEX memories_by_slot ON memories (space, slot, project) WHERE slot != '';
CREATE INDEX memories_by_trust ON memories (space, trust) WHERE trust != 'owner';
CREATE INDEX memories_by_session ON memories (space, session) WHERE session != '';

-- Which stretch an episode tells of, the scratchpad, and what prompts were given.

ALTER TABLE episodes ADD COLUMN last_turn TEXT NOT NULL DEFAULT '';
-- One episode for each stretch and occasion, however often a job runs.
CREATE UNIQUE INDEX episodes_by_stretch ON episodes (space, session, source, last_turn)
WHERE last_turn != '';

CREATE TABLE scratchpads (
    space       INTEGER NOT NULL PRIMARY KEY,
    text        TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Lines that memory put into prompts, as fingerprints only (rules/echo.py).
CREATE TABLE echo_lines (
    space    INTEGER NOT NULL,
    session  TEXT NOT NULL,                     -- empty: said in no session in particular
    line     INTEGER NOT NULL,                  -- the hash of the whole line
    marks    BLOB NOT NULL,                     -- 64-bit hashes of its shingles
    at       INTEGER NOT NULL,                  -- when it was last put into a prompt
    PRIMARY KEY (space, session, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX echo_lines_by_time ON echo_lines (space, at);

-- How far learning from each session has come.

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

-- What was last written to each document, as fingerprints only, so that what a person
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

-- Upkeep. What is put away, which memories are the core, how far each run has come, the
-- cards made of identity sources, and the first talk about who the agent and the user are.

ALTER TABLE memories ADD COLUMN put_away INTEGER;                  -- when an active one was archived
ALTER TABLE memories ADD COLUMN core INTEGER NOT NULL DEFAULT 0;   -- 1: always known
ALTER TABLE attachments ADD COLUMN put_away INTEGER;               -- out of every search since then
CREATE INDEX memories_in_core ON memories (space, core) WHERE core = 1;

CREATE TABLE upkeep_runs (
    space        INTEGER NOT NULL,
    work         TEXT NOT NULL,                 -- daily or weekly
    run          TEXT NOT NULL,                 -- the day, with #2 and so on for further runs of it
    started_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    PRIMARY KEY (space, work, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE upkeep_steps (
    space        INTEGER NOT NULL,
    work         TEXT NOT NULL,
    run          TEXT NOT NULL,
    step         TEXT NOT NULL,
    owner        TEXT NOT NULL,                 -- the process that is at it
    lease_until  INTEGER,
    finished_at  INTEGER,
    counts       TEXT NOT NULL,                 -- JSON: what it did so far
    error        TEXT NOT NULL,
    PRIMARY KEY (space, work, run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE cards (
    space    INTEGER NOT NULL,
    name     TEXT NOT NULL,
    source   TEXT NOT NULL,                     -- the fingerprint of what it was made from
    maker    TEXT NOT NULL,
    text     TEXT NOT NULL,
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE onboarding (
    space       INTEGER NOT NULL PRIMARY KEY,
    stage       TEXT NOT NULL,
    answers     TEXT NOT NULL,                  -- JSON
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What memory was used for, counted by day; numbers only.

CREATE TABLE counters (
    space   INTEGER NOT NULL,
    day     TEXT NOT NULL,
    name    TEXT NOT NULL,
    amount  INTEGER NOT NULL,
    PRIMARY KEY (space, day, name)
) STRICT, WITHOUT ROWID;


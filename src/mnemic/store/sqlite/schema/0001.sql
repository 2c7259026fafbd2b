-- Version 1: the ledger, memories, one text index, and the job queue.
-- Times are microseconds since 1970 in UTC. `doc` packs space, type and a counter into one number
-- (see documents.py), so that one space's records of one type are one range of the text index.

CREATE TABLE spaces (
    space       INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    space       INTEGER NOT NULL,
    number      INTEGER PRIMARY KEY,
    id          TEXT NOT NULL,
    project     TEXT NOT NULL,
    topic       TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    ended_at    INTEGER,
    turns       INTEGER NOT NULL,
    next_idx    INTEGER NOT NULL,
    digested    INTEGER NOT NULL DEFAULT -1,    -- the last doc that is in a daily event
    UNIQUE (space, id)
) STRICT;
CREATE INDEX sessions_by_time ON sessions (space, last_at);

CREATE TABLE turns (
    space        INTEGER NOT NULL,
    doc          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL,
    session      INTEGER NOT NULL,
    idx          INTEGER NOT NULL,
    role         TEXT NOT NULL,
    content      TEXT NOT NULL,
    tool_calls   TEXT,                          -- JSON, NULL when there are none
    tool_results TEXT,
    at           INTEGER NOT NULL,
    zone         INTEGER NOT NULL,              -- minutes east of UTC when it was said
    tokens       INTEGER NOT NULL,
    channel      TEXT NOT NULL,
    sender       TEXT NOT NULL,
    trust        TEXT NOT NULL,
    state        TEXT NOT NULL,
    reason       TEXT NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE UNIQUE INDEX turns_by_place ON turns (space, session, idx);
CREATE INDEX turns_by_time ON turns (space, at);
CREATE INDEX turns_in_trouble ON turns (space, state, at) WHERE state IN ('failed', 'dead');

CREATE TABLE turn_tools (
    space  INTEGER NOT NULL,
    name   TEXT NOT NULL,
    doc    INTEGER NOT NULL,
    PRIMARY KEY (space, name, doc)
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    space            INTEGER NOT NULL,
    doc              INTEGER PRIMARY KEY,
    id               TEXT NOT NULL,
    kind             TEXT NOT NULL,
    content          TEXT NOT NULL,
    subject          TEXT NOT NULL,
    predicate        TEXT NOT NULL,
    project          TEXT NOT NULL,
    topic            TEXT NOT NULL,
    tags             TEXT NOT NULL,
    importance       REAL NOT NULL,
    confidence       REAL NOT NULL,
    trust            TEXT NOT NULL,
    status           TEXT NOT NULL,
    access_count     INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    last_accessed_at INTEGER NOT NULL,
    valid_from       INTEGER NOT NULL,
    valid_to         INTEGER,
    superseded_at    INTEGER,
    superseded_by    TEXT NOT NULL,
    expires_at       INTEGER,
    episode          TEXT NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE INDEX memories_by_slot ON memories (space, subject, predicate) WHERE status = 'active';
CREATE INDEX memories_by_partition ON memories (space, status, project, topic);
CREATE INDEX memories_by_expiry ON memories (space, expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE memory_sources (
    space   INTEGER NOT NULL,
    memory  TEXT NOT NULL,
    turn    TEXT NOT NULL,
    PRIMARY KEY (space, memory, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_by_turn ON memory_sources (space, turn);

CREATE TABLE episodes (
    space         INTEGER NOT NULL,
    doc           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL,
    session       TEXT NOT NULL,
    summary       TEXT NOT NULL,
    goal          TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL,
    actions       TEXT NOT NULL,
    entities      TEXT NOT NULL,
    tools         TEXT NOT NULL,
    memories      TEXT NOT NULL,
    tags          TEXT NOT NULL,
    importance    REAL NOT NULL,
    access_count  INTEGER NOT NULL,
    source        TEXT NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE INDEX episodes_by_session ON episodes (space, session);
CREATE INDEX episodes_by_time ON episodes (space, started_at);

CREATE TABLE attachments (
    space           INTEGER NOT NULL,
    doc             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL,
    session         TEXT NOT NULL,
    filename        TEXT NOT NULL,
    mime            TEXT NOT NULL,
    size            INTEGER NOT NULL,
    path            TEXT NOT NULL,
    url             TEXT NOT NULL,
    direction       TEXT NOT NULL,
    description     TEXT NOT NULL,
    transcription   TEXT NOT NULL,
    extracted_text  TEXT NOT NULL,
    tags            TEXT NOT NULL,
    memories        TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE INDEX attachments_by_session ON attachments (space, session);
CREATE INDEX attachments_by_path ON attachments (space, path);

CREATE TABLE events (
    space         INTEGER NOT NULL,
    id            TEXT NOT NULL,
    type          TEXT NOT NULL,
    operation_id  TEXT NOT NULL,
    step          INTEGER NOT NULL,             -- an operation may leave several events
    subject       TEXT NOT NULL,
    payload       TEXT NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (space, operation_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_subject ON events (space, subject, at, id);
CREATE INDEX events_by_time ON events (space, at, id);

CREATE TABLE daily_events (
    space       INTEGER NOT NULL,
    id          TEXT NOT NULL,
    day         TEXT NOT NULL,
    channel     TEXT NOT NULL,
    sender      TEXT NOT NULL,
    summary     TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    compressed  INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_events_by_day ON daily_events (space, day, compressed);

CREATE TABLE usage (
    space          INTEGER NOT NULL,
    id             TEXT NOT NULL,
    purpose        TEXT NOT NULL,
    model          TEXT NOT NULL,
    input_tokens   INTEGER NOT NULL,
    output_tokens  INTEGER NOT NULL,
    cost           REAL,
    at             INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_time ON usage (space, at);

-- Terms come segmented (index/segment.py); this tokenizer only splits them at white space. The index
-- knows which documents hold a term, no more; scores are computed from the packed terms.
CREATE VIRTUAL TABLE text_index USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);

CREATE TABLE text_terms (
    space   INTEGER NOT NULL,
    doc     INTEGER PRIMARY KEY,
    packed  BLOB NOT NULL                       -- the terms as 32-bit numbers (rules/bm25.py)
) STRICT;

CREATE TABLE jobs (
    space         INTEGER NOT NULL,
    id            TEXT NOT NULL PRIMARY KEY,
    kind          TEXT NOT NULL,
    key           TEXT NOT NULL,
    payload       TEXT NOT NULL,
    state         TEXT NOT NULL,
    attempts      INTEGER NOT NULL,
    max_attempts  INTEGER NOT NULL,
    run_at        INTEGER NOT NULL,
    queued_at     INTEGER NOT NULL,             -- when run_at was set: shows a clock that went back
    created_at    INTEGER NOT NULL,
    lease_owner   TEXT NOT NULL,
    lease_until   INTEGER,
    error         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- One waiting job per key; a running one does not keep its successor out.
CREATE UNIQUE INDEX jobs_waiting ON jobs (space, kind, key) WHERE state = 'ready';
CREATE INDEX jobs_due ON jobs (state, run_at);

CREATE TABLE schedules (
    space    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    cron     TEXT NOT NULL,
    zone     TEXT NOT NULL,
    next_at  INTEGER NOT NULL,
    last_at  INTEGER,
    PRIMARY KEY (space, kind)
) STRICT, WITHOUT ROWID;

-- Where each session's JSONL copy stands, so that an interrupted append is resumed, not repeated.
CREATE TABLE transcripts (
    space    INTEGER NOT NULL,
    session  INTEGER NOT NULL,
    doc      INTEGER NOT NULL,                  -- the last turn that is in the file
    bytes    INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (space, session)
) STRICT, WITHOUT ROWID;

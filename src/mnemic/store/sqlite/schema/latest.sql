-- The schema of a new file: what the numbered scripts give, one after the other.
-- Written by `python -m tests.fixtures.schema`; a test compares the two.

CREATE TABLE spaces (
    space       INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL
, forgotten_at INTEGER) STRICT;

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
    digested    INTEGER NOT NULL DEFAULT -1, extracted INTEGER NOT NULL DEFAULT -1, prompted INTEGER NOT NULL DEFAULT 0, speaker INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0,    -- the last doc that is in a daily event
    UNIQUE (space, id)
) STRICT;

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
    reason       TEXT NOT NULL, claimed INTEGER NOT NULL DEFAULT 1, metadata TEXT,
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
    episode          TEXT NOT NULL, value TEXT NOT NULL DEFAULT '', slot TEXT NOT NULL DEFAULT '', confirmations INTEGER NOT NULL DEFAULT 0, session TEXT NOT NULL DEFAULT '', snoozed_until INTEGER, offered INTEGER NOT NULL DEFAULT 0, put_away INTEGER, core INTEGER NOT NULL DEFAULT 0, metadata TEXT NOT NULL DEFAULT '{}', origin TEXT NOT NULL DEFAULT 'extraction', wording INTEGER,
    UNIQUE (space, id)
) STRICT;

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
    source        TEXT NOT NULL, last_turn TEXT NOT NULL DEFAULT '',
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
    created_at      INTEGER NOT NULL, put_away INTEGER,
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

CREATE TABLE transcripts (
    space    INTEGER NOT NULL,
    session  INTEGER NOT NULL,
    doc      INTEGER NOT NULL,                  -- the last turn that is in the file
    bytes    INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (space, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedders (
    number      INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    dimensions  INTEGER NOT NULL
) STRICT;

CREATE TABLE embedded (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    type      TEXT NOT NULL,
    doc       INTEGER NOT NULL,
    PRIMARY KEY (space, embedder, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE changed_texts (
    space   INTEGER NOT NULL,
    doc     INTEGER NOT NULL,
    change  INTEGER NOT NULL,                   -- counts up: a change during embedding is not lost
    PRIMARY KEY (space, doc)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_rewrites (
    space  INTEGER NOT NULL PRIMARY KEY,
    count  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_by_slot ON memories (space, slot, project) WHERE slot != '';

CREATE INDEX memories_by_trust ON memories (space, trust) WHERE trust != 'owner';

CREATE INDEX memories_by_session ON memories (space, session) WHERE session != '';

CREATE UNIQUE INDEX episodes_by_stretch ON episodes (space, session, source, last_turn)
WHERE last_turn != '';

CREATE TABLE scratchpads (
    space       INTEGER NOT NULL PRIMARY KEY,
    text        TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_by_importance ON memories (space, status, importance);

CREATE TABLE "vectors" (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    part      INTEGER NOT NULL,
    vector    BLOB NOT NULL                     -- 32-bit floats of length 1
) STRICT;

CREATE UNIQUE INDEX vectors_by_doc ON vectors (space, embedder, doc, part);

CREATE TABLE "embedding_cache" (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    hash      BLOB NOT NULL,
    vector    BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX embedding_cache_by_hash ON embedding_cache (space, embedder, hash);

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

CREATE TABLE counters (
    space   INTEGER NOT NULL,
    day     TEXT NOT NULL,
    name    TEXT NOT NULL,
    amount  INTEGER NOT NULL,
    PRIMARY KEY (space, day, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE echo_lines (
    space    INTEGER NOT NULL,
    session  TEXT NOT NULL,                     -- empty: said in no session in particular
    line     INTEGER NOT NULL,                  -- the hash of the whole line
    marks    BLOB NOT NULL,                     -- 64-bit hashes of its shingles
    words    BLOB NOT NULL,                     -- and of its words, where it is not trusted
    taint    INTEGER NOT NULL,                  -- 0 owner, 1 agent, 2 tool, 3 external
    since    INTEGER NOT NULL,                  -- the order of ids when it was first shown
    at       INTEGER NOT NULL,                  -- when it was last put into a prompt
    PRIMARY KEY (space, session, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX echo_lines_by_moment ON echo_lines (space, at);

CREATE INDEX jobs_by_space ON jobs (state, space, run_at);

CREATE INDEX schedules_due ON schedules (next_at);

CREATE INDEX schedules_run ON schedules (last_at);

CREATE TABLE replies (
    space   INTEGER NOT NULL,
    key     BLOB NOT NULL,                      -- hash of who asked what under which key
    mark    BLOB NOT NULL,                      -- hash of what was sent
    status  INTEGER NOT NULL,
    body    BLOB NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX replies_by_time ON replies (space, at);

CREATE INDEX memories_by_wording ON memories (space, wording);

CREATE INDEX memories_by_kind ON memories (space, status, kind);

CREATE INDEX memories_with_notes ON memories (space, status) WHERE metadata != '{}';

CREATE INDEX turns_by_state ON turns (space, state, tokens);

CREATE INDEX jobs_awaiting_model ON jobs (space, run_at)
WHERE state = 'ready' AND instr(payload, '"waiting_since"') > 0;

CREATE TABLE token_vectors (
    space     INTEGER NOT NULL,
    embedder  INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    tokens    BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX token_vectors_by_doc ON token_vectors (space, embedder, doc);

CREATE TABLE sync_devices (
    space    INTEGER NOT NULL,
    device   TEXT NOT NULL,
    name     TEXT NOT NULL,
    own      INTEGER NOT NULL,                  -- 1: this database
    clock    INTEGER NOT NULL,                  -- number of the last change file, written or read
    at       INTEGER NOT NULL,                  -- when that was
    removed  INTEGER NOT NULL,                  -- its last file that is taken; -1: it was not removed
    public   TEXT NOT NULL,                     -- its age recipient
    PRIMARY KEY (space, device)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_rows (
    space   INTEGER NOT NULL,
    tbl     TEXT NOT NULL,
    key     TEXT NOT NULL,                      -- ids of the row, or a hash of its name
    marks   TEXT NOT NULL,                      -- hashes of its parts as last exchanged; empty: gone
    stamps  TEXT NOT NULL,                      -- which change of which device each part is
    held    TEXT NOT NULL,                      -- JSON: counts by device, parts shown otherwise here
    PRIMARY KEY (space, tbl, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_files (
    space   INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    before  INTEGER NOT NULL,                   -- the file before it, which it goes on from
    seen    TEXT NOT NULL,                      -- JSON: how far each device was read by then
    sha256  TEXT NOT NULL,                      -- of what was written; empty: to be written
    bytes   INTEGER NOT NULL,
    stale   INTEGER NOT NULL,                   -- 1: some of it was changed since
    PRIMARY KEY (space, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_receipts (
    space      INTEGER NOT NULL,
    receipt    TEXT NOT NULL,
    device     TEXT NOT NULL,                   -- where it was forgotten first
    number     INTEGER NOT NULL,                -- change file that says so; 0: none yet
    body       TEXT NOT NULL,                   -- JSON: ids and keyed hashes, until all have confirmed
    counts     TEXT NOT NULL,                   -- JSON: what was removed here
    confirmed  TEXT NOT NULL,                   -- JSON: when each device has erased it
    at         INTEGER NOT NULL,
    PRIMARY KEY (space, receipt)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    id          TEXT PRIMARY KEY,
    digest      TEXT NOT NULL UNIQUE,               -- SHA-256 of the token, or of issuer and subject
    name        TEXT NOT NULL,
    scope       TEXT NOT NULL,
    spaces      TEXT NOT NULL,                      -- JSON; * for every one
    rate        INTEGER,                            -- requests a minute
    quota       INTEGER,                            -- requests a day
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    used_at     INTEGER,
    revoked_at  INTEGER
) STRICT;

CREATE TABLE logins (
    digest      TEXT PRIMARY KEY,                   -- SHA-256 of the cookie
    token       TEXT NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE token_uses (
    token   TEXT NOT NULL,
    period  TEXT NOT NULL,                          -- a day or a minute
    amount  INTEGER NOT NULL,
    PRIMARY KEY (token, period)
) STRICT, WITHOUT ROWID;

CREATE TABLE accesses (
    space      INTEGER NOT NULL,                    -- -1: the database
    id         TEXT NOT NULL,
    at         INTEGER NOT NULL,
    token      TEXT NOT NULL,
    operation  TEXT NOT NULL,
    status     INTEGER NOT NULL,                    -- of HTTP; 0 while it is being done
    subject    TEXT NOT NULL,                       -- an id that was asked about, or a receipt
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_changes (
    space  INTEGER NOT NULL,
    tbl    TEXT NOT NULL,                       -- empty: every table
    key    TEXT NOT NULL,                       -- ids of the row, number of a session; empty: the table
    PRIMARY KEY (space, tbl, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_id ON events (space, id);

CREATE INDEX memories_by_age ON memories (space, created_at);

-- Version 7: upkeep. What is put away, which memories are the core, how far each run has come, the
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

-- Version 4: which stretch an episode tells of, the scratchpad, and what prompts were given.

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

-- Version 4: whose words they are.

-- Who speaks as the user of a session (rules/speakers.py), as a hash, so that no name is kept here:
-- 0: nobody by name, -1: not read yet, which is the case of every session from before.
ALTER TABLE sessions ADD COLUMN speaker INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET speaker = -1;
-- 1: somebody who is not the owner speaks as the user, too.
ALTER TABLE sessions ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
-- 1: the trust follows from who speaks in the session; 0: from the host's word or the role.
ALTER TABLE turns ADD COLUMN claimed INTEGER NOT NULL DEFAULT 1;

-- What went into prompts, with the least trust it came with. Kept for a day, so nothing is lost by
-- starting again.
DROP TABLE echo_lines;
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

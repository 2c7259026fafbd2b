-- Who may ask a service, how often each did, and what was done: of the whole database, so that every
-- process and machine on it knows the same. Only hashes of tokens and logins are kept.
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

-- The trail: which token did what in a space, in the transaction of what was done where that is one.
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

-- A space that was forgotten leaves its number, which is not given again, under the id of its receipt.
ALTER TABLE spaces ADD COLUMN forgotten_at INTEGER;

-- Spelled as everywhere else.
UPDATE counters SET name = 'learned' WHERE name = 'learnt';

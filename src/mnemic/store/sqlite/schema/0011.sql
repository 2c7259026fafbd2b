-- One memory on several devices: who they are, what of each row was exchanged, and what was forgotten.
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
    origin  TEXT NOT NULL,                      -- device that wrote it first; empty: this one
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

-- One memory on several devices, as SQLite's 0011.sql.
CREATE TABLE sync_devices (
    space    BIGINT NOT NULL,
    device   TEXT NOT NULL,
    name     TEXT NOT NULL,
    own      BIGINT NOT NULL,                  -- 1: this database
    clock    BIGINT NOT NULL,                  -- number of the last change file, written or read
    at       BIGINT NOT NULL,                  -- when that was
    removed  BIGINT NOT NULL,                  -- its last file that is taken; -1: it was not removed
    public   TEXT NOT NULL,                     -- its age recipient
    PRIMARY KEY (space, device)
);
CREATE TABLE sync_rows (
    space   BIGINT NOT NULL,
    tbl     TEXT NOT NULL,
    key     TEXT NOT NULL,                      -- ids of the row, or a hash of its name
    marks   TEXT NOT NULL,                      -- hashes of its parts as last exchanged; empty: gone
    stamps  TEXT NOT NULL,                      -- which change of which device each part is
    origin  TEXT NOT NULL,                      -- device that wrote it first; empty: this one
    held    TEXT NOT NULL,                      -- JSON: counts by device, parts shown otherwise here
    PRIMARY KEY (space, tbl, key)
);
CREATE TABLE sync_files (
    space   BIGINT NOT NULL,
    number  BIGINT NOT NULL,
    before  BIGINT NOT NULL,                   -- the file before it, which it goes on from
    seen    TEXT NOT NULL,                      -- JSON: how far each device was read by then
    sha256  TEXT NOT NULL,                      -- of what was written; empty: to be written
    bytes   BIGINT NOT NULL,
    stale   BIGINT NOT NULL,                   -- 1: some of it was changed since
    PRIMARY KEY (space, number)
);
CREATE TABLE sync_receipts (
    space      BIGINT NOT NULL,
    receipt    TEXT NOT NULL,
    device     TEXT NOT NULL,                   -- where it was forgotten first
    number     BIGINT NOT NULL,                -- change file that says so; 0: none yet
    body       TEXT NOT NULL,                   -- JSON: ids and keyed hashes, until all have confirmed
    counts     TEXT NOT NULL,                   -- JSON: what was removed here
    confirmed  TEXT NOT NULL,                   -- JSON: when each device has erased it
    at         BIGINT NOT NULL,
    PRIMARY KEY (space, receipt)
);

ALTER TABLE sync_devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_devices FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON sync_devices USING (space = own_space());

ALTER TABLE sync_rows ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_rows FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON sync_rows USING (space = own_space());

ALTER TABLE sync_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_files FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON sync_files USING (space = own_space());

ALTER TABLE sync_receipts ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_receipts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON sync_receipts USING (space = own_space());

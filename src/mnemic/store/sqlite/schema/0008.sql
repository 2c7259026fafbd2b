-- How requests under an Idempotency-Key were answered, so that one that is repeated is done once.
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

-- How requests under an Idempotency-Key were answered, so that one that is repeated is done once.
CREATE TABLE replies (
    space   BIGINT NOT NULL,
    key     BYTEA NOT NULL,                     -- hash of who asked what under which key
    mark    BYTEA NOT NULL,                     -- hash of what was sent
    status  BIGINT NOT NULL,
    body    BYTEA NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (space, key)
);

CREATE INDEX replies_by_time ON replies (space, at);

ALTER TABLE replies ENABLE ROW LEVEL SECURITY;

ALTER TABLE replies FORCE ROW LEVEL SECURITY;

CREATE POLICY own_space ON replies USING (space = own_space());

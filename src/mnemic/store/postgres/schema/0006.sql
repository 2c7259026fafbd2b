-- Tokens, logins, their uses and the trail, and spaces that were forgotten: as SQLite's 0012.sql.
CREATE TABLE tokens (
    id          TEXT COLLATE "C" PRIMARY KEY,
    digest      TEXT COLLATE "C" NOT NULL UNIQUE,
    name        TEXT COLLATE "C" NOT NULL,
    scope       TEXT COLLATE "C" NOT NULL,
    spaces      TEXT COLLATE "C" NOT NULL,
    rate        BIGINT,
    quota       BIGINT,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT,
    used_at     BIGINT,
    revoked_at  BIGINT
);

CREATE TABLE logins (
    digest      TEXT COLLATE "C" PRIMARY KEY,
    token       TEXT COLLATE "C" NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE TABLE token_uses (
    token   TEXT COLLATE "C" NOT NULL,
    period  TEXT COLLATE "C" NOT NULL,
    amount  BIGINT NOT NULL,
    PRIMARY KEY (token, period)
);

CREATE TABLE accesses (
    space      BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    token      TEXT COLLATE "C" NOT NULL,
    operation  TEXT COLLATE "C" NOT NULL,
    status     BIGINT NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (space, id)
);

ALTER TABLE spaces ADD COLUMN forgotten_at BIGINT;

-- A transaction of a space sees its own part of the trail; the rest is the service's.
DO $$
DECLARE
    guarded name;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['tokens', 'logins', 'token_uses', 'accesses'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format('CREATE POLICY service ON %I USING (serves_queue())', guarded);
    END LOOP;
    CREATE POLICY own_space ON accesses USING (space = own_space());
END;
$$;

-- Spelled as everywhere else.
UPDATE counters SET name = 'learned' WHERE name = 'learnt';

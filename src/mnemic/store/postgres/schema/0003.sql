-- Exact keys and covering indexes, so that adding, counting and measuring stay quick as a memory
-- grows: as SQLite's 0009.sql.
ALTER TABLE memories ADD COLUMN wording BIGINT;

CREATE INDEX memories_by_wording ON memories (space, wording);

CREATE INDEX memories_by_kind ON memories (space, status, kind);

CREATE INDEX memories_with_notes ON memories (space, status) WHERE metadata != '{}';

CREATE INDEX turns_by_state ON turns (space, state, tokens);

CREATE INDEX jobs_awaiting_model ON jobs (space, run_at)
WHERE state = 'ready' AND strpos(payload, '"waiting_since"') > 0;

-- The owner of the tables sees the events of every space for as long as this takes.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;

ALTER TABLE counters NO FORCE ROW LEVEL SECURITY;

INSERT INTO counters
SELECT space, day, name, count(*) FROM (
    SELECT space, to_char(to_timestamp(at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
        CASE type WHEN 'pending' THEN 'put_to_user' WHEN 'confirm' THEN 'confirmed'
        WHEN 'reject' THEN 'refused' ELSE 'learnt' END AS name
    FROM events WHERE type IN ('pending', 'confirm')
        OR type = 'reject' AND as_json(payload) ->> 'by' = 'user'
        OR type = 'write' AND coalesce(as_json(payload) ->> 'sources', '[]') != '[]'
    UNION ALL
    SELECT e.space,
        to_char(to_timestamp(min(e.at) / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'taken_back'
    FROM events e
    WHERE (e.type IN ('reject', 'withdraw')
            OR e.type = 'archive' AND as_json(e.payload) ->> 'reason' LIKE 'rollback of%')
        AND EXISTS (SELECT 1 FROM events w WHERE w.space = e.space AND w.subject = e.subject
            AND w.type = 'write'
            AND coalesce(as_json(w.payload) ->> 'sources', '[]') != '[]')
    GROUP BY e.space, e.subject
) counted GROUP BY space, day, name;

ALTER TABLE events FORCE ROW LEVEL SECURITY;

ALTER TABLE counters FORCE ROW LEVEL SECURITY;

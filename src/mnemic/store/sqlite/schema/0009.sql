-- Exact keys and covering indexes, so that adding, counting and measuring stay quick as a memory
-- grows.

-- The hash of a memory's text as two writers of it would both write it (rules/likeness.py), so that
-- a statement which is there already is found without a search. NULL: not computed yet.
ALTER TABLE memories ADD COLUMN wording INTEGER;
CREATE INDEX memories_by_wording ON memories (space, wording);

CREATE INDEX memories_by_kind ON memories (space, status, kind);
CREATE INDEX memories_with_notes ON memories (space, status) WHERE metadata != '{}';
CREATE INDEX turns_by_state ON turns (space, state, tokens);
CREATE INDEX jobs_awaiting_model ON jobs (space, run_at)
WHERE state = 'ready' AND instr(payload, '"waiting_since"') > 0;

-- What became of statements is counted when it happens (rules/figures.py), no longer added up from
-- all events at each look.
INSERT INTO counters
SELECT space, day, name, count(*) FROM (
    SELECT space, date(at / 1000000, 'unixepoch') AS day, CASE type
        WHEN 'pending' THEN 'put_to_user' WHEN 'confirm' THEN 'confirmed'
        WHEN 'reject' THEN 'refused' ELSE 'learnt' END AS name
    FROM events WHERE type IN ('pending', 'confirm')
        OR type = 'reject' AND payload ->> 'by' = 'user'
        OR type = 'write' AND ifnull(payload ->> 'sources', '[]') != '[]'
    UNION ALL
    SELECT e.space, date(min(e.at) / 1000000, 'unixepoch'), 'taken_back' FROM events e
    WHERE (e.type IN ('reject', 'withdraw')
            OR e.type = 'archive' AND e.payload ->> 'reason' LIKE 'rollback of%')
        AND EXISTS (SELECT 1 FROM events w WHERE w.space = e.space AND w.subject = e.subject
            AND w.type = 'write' AND ifnull(w.payload ->> 'sources', '[]') != '[]')
    GROUP BY e.space, e.subject
) GROUP BY space, day, name;

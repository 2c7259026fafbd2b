-- name: schema
SELECT max(version) FROM migrations

-- name: count_turns
-- From state to state by the index, as kinds below; turns and tokens of a stretch in one pass.
WITH RECURSIVE step (state) AS (
    SELECT min(state)
    FROM turns
    WHERE space = :space
    UNION ALL
    SELECT (SELECT min(t.state) FROM turns t WHERE t.space = :space AND t.state > step.state)
    FROM step
    WHERE step.state IS NOT NULL
)
SELECT state, (
    SELECT count(*) || ' ' || sum(t.tokens)
    FROM turns t
    WHERE t.space = :space AND t.state = step.state
)
FROM step
WHERE state IS NOT NULL

-- name: count_rows
-- A table is counted by its pages, a part of it row by row: so of many rows only the few others.
SELECT CASE WHEN own.count < 2000 THEN own.count ELSE (
    SELECT CASE
        WHEN other.count < 35000 THEN (SELECT count(*) FROM {table}) - other.count
        ELSE (SELECT count(*) FROM {table} WHERE {own})
    END
    FROM (SELECT count(*) AS count FROM ({others} LIMIT 35000) AS others) AS other
) END
FROM (
    SELECT count(*) AS count FROM (SELECT 1 FROM {table} WHERE {own} LIMIT 2000) AS some_own
) AS own

-- name: own
space = :space

-- name: own_jobs
state = 'ready' AND space = :space

-- name: others
SELECT 1 FROM {table} WHERE space < :space
UNION ALL
SELECT 1 FROM {table} WHERE space > :space

-- name: other_jobs
SELECT 1 FROM jobs WHERE state = 'ready' AND space < :space
UNION ALL
SELECT 1 FROM jobs WHERE state = 'ready' AND space > :space
UNION ALL
SELECT 1 FROM jobs WHERE state < 'ready'
UNION ALL
SELECT 1 FROM jobs WHERE state > 'ready'

-- name: count_records
SELECT 'sessions', ({sessions})
UNION ALL
SELECT 'episodes', ({episodes})
UNION ALL
SELECT 'attachments', ({attachments})
UNION ALL
SELECT 'events', ({events})
UNION ALL
SELECT 'jobs_ready', ({jobs})
UNION ALL
SELECT 'jobs_running', count(*) FROM jobs WHERE space = :space AND state = 'running'
UNION ALL
SELECT 'jobs_dead', count(*) FROM jobs WHERE space = :space AND state = 'dead'

-- name: count_kinds
-- From kind to kind by the index, which counts a stretch twice as fast as it groups all.
WITH RECURSIVE step (kind) AS (
    SELECT min(kind)
    FROM memories
    WHERE space = :space AND status = 'active'
    UNION ALL
    SELECT (
        SELECT min(m.kind)
        FROM memories m
        WHERE m.space = :space AND m.status = 'active' AND m.kind > step.kind
    )
    FROM step
    WHERE step.kind IS NOT NULL
)
SELECT kind, (
    SELECT count(*)
    FROM memories m
    WHERE m.space = :space AND m.status = 'active' AND m.kind = step.kind
)
FROM step
WHERE kind IS NOT NULL

-- name: first_at
SELECT min(at) FROM turns WHERE space = :space

-- name: last_at
SELECT max(at) FROM turns WHERE space = :space

-- name: dead_jobs
SELECT count(*) FROM jobs WHERE space = :space AND state = 'dead'

-- name: check_index
SELECT
    (SELECT count(*) FROM {table} WHERE space = :space),
    (SELECT count(*) FROM text_terms WHERE +space = :space AND doc BETWEEN :first AND :last),
    (
        SELECT count(*)
        FROM {table} r
        JOIN text_terms d ON d.space = r.space AND d.doc = r.doc
        WHERE r.space = :space
    )

-- name: unvectored
SELECT r.doc
FROM {table} r
JOIN text_terms w ON +w.space = r.space AND w.doc = r.doc AND length(w.packed) > 0
WHERE r.space = :space
  AND r.doc <= ifnull(
      (
          SELECT doc
          FROM embedded
          WHERE space = :space AND embedder = :embedder AND type = :type
      ), -1
  )
  AND NOT EXISTS (
      SELECT 1
      FROM vectors v
      WHERE v.space = r.space AND v.embedder = :embedder AND v.doc = r.doc
  )
  AND NOT EXISTS (SELECT 1 FROM changed_texts c WHERE c.space = r.space AND c.doc = r.doc)
ORDER BY r.doc LIMIT :limit

-- name: no_record
o.doc BETWEEN {first} AND {last}
AND NOT EXISTS (SELECT 1 FROM {table} r WHERE r.space = o.space AND r.doc = o.doc)

-- name: ask_again
INSERT INTO changed_texts
SELECT :space, atom, 1
FROM json_each(:docs)
WHERE true
ON CONFLICT (space, doc) DO UPDATE SET change = changed_texts.change + 1

-- Rows that lead to nothing: what they are, and their table with the column that names them.

-- name: sources without a memory: memory_sources.memory
NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = o.space AND m.id = o.memory)

-- name: sources without a turn: memory_sources.memory
NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = o.space AND t.id = o.turn)

-- name: tools without a turn: turn_tools.name
NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = o.space AND t.doc = o.doc)

-- name: choices without a memory: document_choices.memory
NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = o.space AND m.id = o.memory)

-- name: transcripts without a session: transcripts.session
NOT EXISTS (SELECT 1 FROM sessions s WHERE s.space = o.space AND s.number = o.session)

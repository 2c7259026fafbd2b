-- name: schema
SELECT max(version) FROM migrations

-- name: count_turns
SELECT state, count(*), sum(tokens) FROM turns WHERE space = :space GROUP BY state

-- name: count_records
SELECT 'sessions', count(*) FROM sessions WHERE space = :space
UNION ALL
SELECT 'episodes', count(*) FROM episodes WHERE space = :space
UNION ALL
SELECT 'attachments', count(*) FROM attachments WHERE space = :space
UNION ALL
SELECT 'events', count(*) FROM events WHERE space = :space
UNION ALL
SELECT 'jobs_ready', count(*) FROM jobs WHERE space = :space AND state = 'ready'
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

-- name: there
SELECT 1 FROM spaces WHERE space = $1 AND name = $2

-- name: tables
SELECT relname, pg_total_relation_size(oid)
FROM pg_class
WHERE relnamespace = $1::regnamespace AND relkind = 'r'
ORDER BY relname

-- name: tables_with_space
SELECT table_name
FROM information_schema.columns
WHERE table_schema = 'mnemic' AND column_name = 'space'

-- name: schema_of_vectors
SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'

-- name: stated
SELECT m.doc, m.subject, m.predicate, m.value, m.content, m.trust
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS r (first, last, start, stop)
CROSS JOIN LATERAL (
    SELECT n.* FROM memories n WHERE n.space = $1 AND n.slot != ''
        AND n.slot_start BETWEEN r.start AND r.stop AND n.slot BETWEEN r.first AND r.last
        AND (n.status = 'active' OR (n.status = 'superseded' AND n.valid_to IS NOT NULL))
    ORDER BY n.slot_start DESC, n.slot DESC, n.project DESC, n.doc DESC LIMIT $6
) m ORDER BY m.created_at DESC, m.doc DESC

-- name: payload_keys
SELECT DISTINCT k.key, iif(k.key IN (SELECT value FROM json_each(?)), k.value #>> '{}', '')
FROM events e,
    jsonb_path_query(
        CAST(replace(e.payload, '\u0000', '\ufffe0') AS JSONB), 'strict $.**'
    ) AS n (node),
    jsonb_each(n.node) k
WHERE jsonb_typeof(n.node) = 'object'

-- name: age
SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()

-- name: wrong_entries
SELECT count(*)
FROM (
    SELECT d.doc, list_name(t.term) AS term
    FROM text_terms d, string_to_table(d.words, ' ') AS t (term)
    WHERE d.space = $1 AND t.term <> ''
) d
FULL JOIN (SELECT p.doc, p.term FROM text_postings p WHERE p.space = $1) p
    ON p.doc = d.doc AND p.term = d.term
WHERE p.doc IS NULL OR d.doc IS NULL

-- name: vocabulary
-- One look into the index for each term.
WITH RECURSIVE terms AS (
    (SELECT term FROM text_postings WHERE space = own_space() ORDER BY term LIMIT 1)
    UNION ALL
    SELECT (
        SELECT p.term
        FROM text_postings p
        WHERE p.space = own_space() AND p.term > t.term
        ORDER BY p.term LIMIT 1
    )
    FROM terms t
    WHERE t.term IS NOT NULL
)
SELECT term FROM terms WHERE term IS NOT NULL

-- name: try_lock
SELECT pg_try_advisory_xact_lock($1::int, hashtext($2))

-- name: free
-- Nobody is at the key of a job.
NOT EXISTS (
    SELECT 1
    FROM jobs r
    WHERE r.space = j.space
      AND r.state = 'running'
      AND r.kind = j.kind
      AND r.key = j.key
      AND r.id != j.id
      AND r.lease_until > $1
      AND r.queued_at <= $1
)

-- name: due
-- The first of the spaces, in their order, that has something due, while nobody is at its key.
SELECT d.*
FROM unnest($2::bigint[]) AS w (space)
CROSS JOIN LATERAL (
    SELECT j.space, j.id, j.kind, j.key
    FROM jobs j
    WHERE j.space = w.space
      AND j.state = 'ready'
      AND j.run_at <= $1
      AND {free}
    ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED
) d LIMIT 1

-- name: lapsed
SELECT j.space, j.id, j.kind, j.key
FROM jobs j
WHERE j.state = 'running'
  AND j.lease_until <= $1
  AND {free}
ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED

-- name: future
-- Queued in what is now the future: the clock went back.
SELECT j.space, j.id, j.kind, j.key
FROM jobs j
WHERE j.state IN ('ready', 'running')
  AND j.queued_at > $1
  AND {free}
ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED

-- name: of_space
SELECT j.space, j.id, j.kind, j.key
FROM jobs j
WHERE j.space = $2
  AND (
      j.state = 'ready'
        AND (j.run_at <= $1 OR j.queued_at > $1)
        OR j.state = 'running'
        AND (j.lease_until <= $1 OR j.queued_at > $1)
  )
  AND {free}
ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED

-- name: take
WITH taken AS (
    UPDATE jobs AS j
    SET state = 'running', attempts = attempts + 1, lease_owner = $4, lease_until = $5, queued_at
        = $1
    WHERE j.space = $2
      AND j.id = $3
      AND {free}
    RETURNING j.*
)
SELECT j.id, s.name, j.kind, j.key, j.payload, j.state, j.attempts, j.max_attempts, j.run_at,
    j.created_at, j.lease_until, j.error
FROM taken j
JOIN spaces s ON s.space = j.space

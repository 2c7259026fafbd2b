-- name: tables
SELECT m.name
FROM sqlite_schema m, pragma_table_info(m.name) c
WHERE m.type = 'table' AND c.name = 'space'

-- name: text_index
SELECT sql FROM sqlite_schema WHERE name = 'text_index'

-- name: payload_keys
SELECT DISTINCT key, iif(key IN (SELECT value FROM json_each(?)), atom, '')
FROM events, json_tree(payload)
WHERE typeof(key) = 'text'

-- name: job
FROM jobs j JOIN spaces s ON s.space = j.space WHERE j.id = ?

-- name: take
UPDATE jobs
SET state = 'running', attempts = attempts + 1, lease_owner = :owner, lease_until = :lease,
    queued_at = :now
WHERE id = :id

-- Due: its time has come, or it was queued in what is now the future because the clock went back.

-- name: any_due
SELECT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'ready' AND (run_at <= :now OR queued_at > :now)
) OR EXISTS (
    SELECT 1 FROM jobs WHERE state = 'running' AND (lease_until <= :now OR queued_at > :now)
)

-- name: first
SELECT j.id
FROM jobs j
WHERE {}
  AND NOT EXISTS (
      SELECT 1
      FROM jobs r
      WHERE r.state = 'running'
        AND r.id != j.id
        AND r.space = j.space
        AND r.kind = j.kind
        AND r.key = j.key
        AND r.lease_until > :now
        AND r.queued_at <= :now
  )
ORDER BY j.run_at, j.id LIMIT 1

-- name: next lapsed
j.state = 'running' AND (j.lease_until <= :now OR j.queued_at > :now)

-- name: next due
j.state = 'ready' AND j.space = :space AND j.run_at <= :now

-- name: next any
(
    j.state = 'ready' AND (j.run_at <= :now OR j.queued_at > :now)
    OR j.state = 'running' AND (j.lease_until <= :now OR j.queued_at > :now)
)

-- name: next of_space
(
    j.state = 'ready' AND (j.run_at <= :now OR j.queued_at > :now)
    OR j.state = 'running' AND (j.lease_until <= :now OR j.queued_at > :now)
)
AND j.space = :space

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
      AND NOT EXISTS (
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
    ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED
) d LIMIT 1

-- name: lapsed
SELECT j.space, j.id, j.kind, j.key
FROM jobs j
WHERE j.state = 'running'
  AND j.lease_until <= $1
  AND NOT EXISTS (
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
ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED

-- name: future
-- Queued in what is now the future: the clock went back.
SELECT j.space, j.id, j.kind, j.key
FROM jobs j
WHERE j.state IN ('ready', 'running')
  AND j.queued_at > $1
  AND NOT EXISTS (
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
  AND NOT EXISTS (
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
ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED

-- name: take
WITH taken AS (
    UPDATE jobs AS j
    SET state = 'running', attempts = attempts + 1, lease_owner = $4, lease_until = $5, queued_at
        = $3
    WHERE j.space = $1
      AND j.id = $2
      AND NOT EXISTS (
          SELECT 1
          FROM jobs r
          WHERE r.space = j.space
            AND r.state = 'running'
            AND r.kind = j.kind
            AND r.key = j.key
            AND r.id != j.id
            AND r.lease_until > $3
            AND r.queued_at <= $3
      )
    RETURNING j.*
)
SELECT j.id, s.name, j.kind, j.key, j.payload, j.state, j.attempts, j.max_attempts, j.run_at,
    j.created_at, j.lease_until, j.error
FROM taken j
JOIN spaces s ON s.space = j.space

-- name: unfinished
SELECT j.id, s.name, j.kind, j.key, j.payload, j.state, j.attempts, j.max_attempts, j.run_at,
    j.created_at, j.lease_until, j.error
FROM jobs j
JOIN spaces s ON s.space = j.space
WHERE j.space = :space AND (:state IS NULL OR j.state = :state)
ORDER BY j.run_at, j.id LIMIT :limit

-- name: waiting_for_model
SELECT j.id, s.name, j.kind, j.key, j.payload, j.state, j.attempts, j.max_attempts, j.run_at,
    j.created_at, j.lease_until, j.error
FROM (
    SELECT *
    FROM jobs
    WHERE space = :space
      AND state = 'ready'
      AND instr(payload, '"waiting_since"') > 0
      AND payload ->> 'waiting_since' IS NOT NULL
      AND payload ->> 'session' IS NOT NULL
) j
JOIN spaces s ON s.space = j.space
ORDER BY j.run_at, j.id LIMIT :limit

-- name: model_away_until
SELECT min(run_at)
FROM jobs
WHERE space = :space
  AND state = 'ready'
  AND instr(payload, '"waiting_since"') > 0
  AND payload ->> 'waiting_since' IS NOT NULL
  AND run_at > :now
  AND payload ->> 'session' IS NOT NULL

-- name: discard
DELETE
FROM jobs
WHERE space = :space AND state = 'dead' AND id IN (SELECT value FROM json_each(:ids))

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
    FROM jobs INDEXED BY jobs_awaiting_model
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

-- name: waits
SELECT 1
FROM jobs
WHERE space = ? AND kind = ? AND key = ? AND state = 'ready' AND run_at <= ?

-- name: enqueue
INSERT INTO jobs
VALUES (?, ?, ?, ?, ?, 'ready', 0, ?, ?, ?, ?, '', NULL, '')
ON CONFLICT (space, kind, key) WHERE state = 'ready' DO UPDATE
SET run_at = excluded.run_at, queued_at = excluded.queued_at
WHERE excluded.run_at < jobs.run_at AND jobs.attempts = 0 AND jobs.error = ''

-- name: drop_doubles
DELETE
FROM jobs AS j
WHERE j.space = :space
  AND j.state = 'dead'
  AND (:ids IS NULL OR j.id IN (SELECT value FROM json_each(:ids)))
  AND EXISTS (
      SELECT 1
      FROM jobs w
      WHERE w.space = j.space
        AND w.kind = j.kind
        AND w.key = j.key
        AND (
            w.state = 'ready'
            OR w.state = 'dead'
            AND w.id > j.id
            AND (:ids IS NULL OR w.id IN (SELECT value FROM json_each(:ids)))
        )
  )

-- name: restart_dead
UPDATE jobs
SET state = 'ready', attempts = 0, run_at = :now, queued_at = :now,
    payload = json_remove(payload, '$.waiting_since'), lease_owner = '', lease_until = NULL
WHERE space = :space
  AND state = 'dead'
  AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))

-- name: hurry_waiting
-- The text first, by which an index knows the few that may.
UPDATE jobs
SET run_at = :now, queued_at = :now
WHERE space = :space
  AND state = 'ready'
  AND instr(payload, '"waiting_since"') > 0
  AND payload ->> 'waiting_since' IS NOT NULL
  AND run_at > :now
  AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))

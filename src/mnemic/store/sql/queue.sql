-- name: due_spaces
-- From space to space by the index, whatever number of jobs each has.
WITH RECURSIVE step (space) AS (
    SELECT min(space)
    FROM jobs
    WHERE state = 'ready'
    UNION ALL
    SELECT (SELECT min(j.space) FROM jobs j WHERE j.state = 'ready' AND j.space > step.space)
    FROM step
    WHERE step.space IS NOT NULL
)
SELECT space
FROM step
WHERE space IS NOT NULL
  AND (SELECT min(j.run_at) FROM jobs j WHERE j.state = 'ready' AND j.space = step.space) <= :now

-- name: due
SELECT count(*) FROM jobs WHERE state = 'ready' AND run_at <= :now

-- name: finish
DELETE FROM jobs WHERE space = :space AND id = :id AND lease_owner = :owner

-- name: retry
UPDATE jobs AS j
SET state = 'ready', run_at = :run_at, queued_at = :now, error = :error, attempts = attempts -
    :returned, payload = :payload, lease_owner = '', lease_until = NULL
WHERE space = :space
  AND id = :id
  AND lease_owner = :owner
  AND NOT EXISTS (
      SELECT 1
      FROM jobs w
      WHERE w.space = j.space AND w.kind = j.kind AND w.key = j.key AND w.state = 'ready'
  )

-- name: bury
UPDATE jobs
SET state = 'dead', error = :error, lease_owner = '', lease_until = NULL
WHERE space = :space AND id = :id AND lease_owner = :owner

-- name: next_due
SELECT min(at)
FROM (
    SELECT min(run_at) AS at
    FROM jobs
    WHERE state = 'ready'
    UNION ALL
    SELECT min(lease_until)
    FROM jobs
    WHERE state = 'running'
    UNION ALL
    SELECT min(next_at)
    FROM schedules
) AS due

-- name: running
SELECT count(*)
FROM jobs
WHERE state = 'running'
  AND lease_until > :now
  AND (:space IS NULL OR space = (SELECT s.space FROM spaces s WHERE s.name = :space))

-- name: scheduled
SELECT 1
FROM schedules
WHERE space = :space AND kind = :kind AND cron = :cron AND zone = :zone AND next_at <= :next_at

-- name: schedule
INSERT INTO schedules
VALUES (:space, :kind, :cron, :zone, :next_at, NULL)
ON CONFLICT (space, kind) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, next_at =
    excluded.next_at
WHERE schedules.cron != excluded.cron
  OR schedules.zone != excluded.zone
  OR schedules.next_at > excluded.next_at

-- name: overdue
SELECT s.name, c.kind, c.cron, c.zone, c.next_at, c.last_at
FROM schedules c
JOIN spaces s ON s.space = c.space
WHERE c.next_at <= :now OR c.last_at > :now
ORDER BY c.next_at LIMIT :limit

-- name: advance
UPDATE schedules
SET next_at = :next_at, last_at = :now
WHERE space = :space AND kind = :kind AND next_at = :before

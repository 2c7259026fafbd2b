-- name: ended
SELECT id
FROM sessions
WHERE space = :space
  AND number IN (
      SELECT session FROM turns WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
  )
  AND NOT EXISTS (
      SELECT 1
      FROM turns t
      WHERE t.space = :space
        AND t.session = number
        AND t.id NOT IN (SELECT value FROM json_each(:ids))
  )

-- name: renew_slots
SELECT id, subject, predicate
FROM memories
WHERE space = :space AND predicate IN (SELECT value FROM json_each(:predicates))

-- name: rename_events
UPDATE events SET type = :after WHERE space = :space AND type = :before

-- name: drop_job
DELETE FROM jobs WHERE +space = :space AND id = :id

-- name: rename_job
UPDATE jobs SET key = :key, payload = :payload WHERE +space = :space AND id = :id

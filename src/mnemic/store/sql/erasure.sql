-- name: derived
SELECT a.memory, a.turn
FROM memory_sources a
WHERE a.space = :space
  AND a.memory IN (
      SELECT memory
      FROM memory_sources
      WHERE space = :space AND turn IN (SELECT value FROM json_each(:ids))
  )

-- name: stretches
SELECT DISTINCT e.id
FROM json_each(:ids) d
CROSS JOIN turns t ON t.space = :space AND t.id = d.value
CROSS JOIN sessions s ON s.space = t.space AND s.number = t.session
CROSS JOIN episodes e ON e.space = t.space
  AND e.session IN (s.id, '')
  AND t.at BETWEEN e.started_at AND e.ended_at

-- name: turns_told_by
SELECT t.id
FROM episodes e
JOIN turns t ON t.space = e.space AND t.at BETWEEN e.started_at AND e.ended_at
JOIN sessions s ON s.space = t.space AND s.number = t.session
WHERE e.space = :space AND e.id = :id AND e.session IN (s.id, '')
ORDER BY t.at, t.doc

-- name: drop_replies
DELETE FROM replies WHERE space = :space

-- name: unlink
SELECT id, superseded_by
FROM memories
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: followers
SELECT id, superseded_by
FROM memories
WHERE space = :space AND superseded_by IN (SELECT value FROM json_each(:ids))

-- name: sessions_of
SELECT DISTINCT session
FROM turns
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
UNION
SELECT number
FROM sessions
WHERE space = :space AND id IN (SELECT value FROM json_each(:sessions))

-- name: shorten_sessions
SELECT number, id
FROM sessions
WHERE space = :space AND turns = 0 AND number IN (SELECT atom FROM json_each(:ids))

-- name: taken_stretch
SELECT 1
FROM episodes
WHERE space = :space
  AND session = :session
  AND source = :source
  AND last_turn = :turn
  AND id != :id

-- name: learn_again
UPDATE turns
SET state = 'new', reason = ''
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)) AND state = 'extracted'
RETURNING session, doc

-- name: lower_extracted
UPDATE sessions SET extracted = min(extracted, :before) WHERE space = :space AND number = :number

-- name: learn_again_in
SELECT id
FROM sessions
WHERE space = :space AND number IN (SELECT atom FROM json_each(:ids))
ORDER BY number

-- name: end_job
DELETE FROM jobs WHERE space = :space AND kind = :kind AND key = :key

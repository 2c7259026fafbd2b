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

-- name: removed_versions
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

-- name: empty_sessions
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

-- name: followers_of_turns
SELECT n.doc FROM turns t JOIN turns n ON n.space = t.space AND n.session = t.session
AND n.idx = t.idx + 1 WHERE t.space = :space AND t.doc IN (SELECT atom FROM json_each(:docs))

-- name: drop_events
DELETE FROM events WHERE space = :space AND subject IN (SELECT value FROM json_each(:ids))

-- name: drop_jobs
DELETE FROM jobs WHERE space = :space AND key IN (SELECT value FROM json_each(:ids))

-- name: drop_sources_of_turns
DELETE FROM memory_sources WHERE space = :space AND turn IN (SELECT value FROM json_each(:ids))

-- name: leave_episodes
UPDATE memories
SET episode = ''
WHERE space = :space AND episode IN (SELECT value FROM json_each(:ids))

-- name: hold_on
UPDATE memories
SET valid_to = NULL, superseded_by = ''
WHERE space = :space
  AND status = 'active'
  AND superseded_by IN (SELECT value FROM json_each(:ids))

-- name: count_turns_left
UPDATE sessions
SET turns = (SELECT count(*) FROM turns t WHERE t.space = sessions.space AND t.session = number)
WHERE space = :space AND number IN (SELECT atom FROM json_each(:ids))

-- name: drop_sessions
DELETE FROM sessions WHERE space = :space AND number IN (SELECT atom FROM json_each(:ids))

-- name: drop_transcripts
DELETE FROM transcripts WHERE space = :space AND session IN (SELECT atom FROM json_each(:ids))

-- name: drop_echo_lines
DELETE FROM echo_lines WHERE space = :space AND session IN (SELECT value FROM json_each(:ids))

-- name: drop_session_events
DELETE
FROM events
WHERE space = :space
  AND type IN ('session.variables', 'session.cleared')
  AND subject IN (SELECT value FROM json_each(:ids))

-- name: leave_space
UPDATE spaces SET name = :receipt, forgotten_at = :at WHERE space = :space

-- name: stored
SELECT {column} FROM {table} WHERE space = :space AND {name} = :id

-- name: rewrite
UPDATE {table} SET {column} = :text WHERE space = :space AND {name} = :id

-- name: drop_listed
DELETE FROM {table} WHERE space = :space AND {column} IN (SELECT value FROM json_each(:ids))

-- name: drop_docs
DELETE FROM {table} WHERE space = :space AND doc IN (SELECT atom FROM json_each(:ids))

-- name: drop_vectors
DELETE
FROM {table}
WHERE space = :space
  AND embedder IN (SELECT number FROM embedders)
  AND doc IN (SELECT atom FROM json_each(:ids))

-- name: drop_cached
DELETE
FROM embedding_cache
WHERE space = ? AND embedder IN (SELECT number FROM embedders) AND hash = ?

-- name: unlist_memories
UPDATE {table}
SET memories = (
    SELECT json_group_array(m.value)
    FROM json_each({table}.memories) m
    WHERE m.value NOT IN (SELECT value FROM json_each(:ids))
)
WHERE space = :space
  AND EXISTS (
      SELECT 1
      FROM json_each({table}.memories) m
      WHERE m.value IN (SELECT value FROM json_each(:ids))
  )

-- name: drop_marks
DELETE
FROM embedded
WHERE space = :space
  AND type = :type
  AND NOT EXISTS (
      SELECT 1 FROM {table} r WHERE r.space = :space AND r.doc BETWEEN :first AND embedded.doc
  )

-- name: lower_marks_of
UPDATE embedded
SET doc = (
    SELECT max(r.doc)
    FROM {table} r
    WHERE +r.space = :space AND r.doc BETWEEN :first AND embedded.doc
)
WHERE space = :space AND type = :type

-- name: lower_marks
UPDATE {table} SET {column} = :last WHERE space = :space AND {column} > :last

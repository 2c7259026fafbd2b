-- name: put_away
UPDATE memories
SET put_away = CASE status WHEN 'active' THEN :at END, core = 0, status = 'archived',
    superseded_by = :by, updated_at = :at
WHERE space = :space AND id = :id

-- name: mark_core
UPDATE memories
SET core = :core
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: counts
SELECT count(*) FILTER (WHERE core = 1), count(*) FILTER (WHERE core = 0)
FROM memories
WHERE space = :space
  AND status = 'active'
  AND (expires_at IS NULL OR expires_at > :now)
  AND valid_from <= :now
  AND (valid_to IS NULL OR valid_to > :now)

-- name: partitions
SELECT project, topic
FROM memories
WHERE space = :space AND status = 'active'
GROUP BY project, topic
HAVING count(*) >= :least
ORDER BY project, topic

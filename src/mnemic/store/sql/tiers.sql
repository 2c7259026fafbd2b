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

-- name: expired
status IN ('active', 'pending') AND (expires_at <= :now OR valid_to <= :now)
ORDER BY ifnull(expires_at, valid_to), doc LIMIT :limit

-- name: fit_for_core
-- Without the owner's word neither what steers the agent nor what a model asked to keep.
status = 'active'
AND (expires_at IS NULL OR expires_at > :now)
AND valid_from <= :now
AND (valid_to IS NULL OR valid_to > :now)
AND kind NOT IN ('credential', 'temp')
AND session = ''
AND trust IN (SELECT value FROM json_each(:trusted))
AND (trust = 'owner' OR kind NOT IN ('rule', 'identity', 'trait') AND origin <> 'proposal')

-- name: latest_versions
WITH RECURSIVE version(id) AS (
    SELECT id
    FROM memories
    WHERE space = :space AND id IN (SELECT value FROM json_each(:listed))
    UNION
    SELECT m.superseded_by
    FROM memories m
    JOIN version v ON m.id = v.id
    WHERE m.space = :space AND m.superseded_by != ''
)
SELECT id FROM version

-- name: chosen_lines
SELECT id, content, kind, trust, valid_from, importance, core, doc
FROM memories INDEXED BY memories_in_core
WHERE core = 1

-- name: important_lines
SELECT id, content, kind, trust, valid_from, importance, core, doc
FROM memories {index}
WHERE {fit}
ORDER BY importance DESC, doc DESC LIMIT :limit

-- name: profile_written
ifnull(
    (
        SELECT max(created_at)
        FROM memories INDEXED BY memories_in_core
        WHERE core = 1
          AND space = :space
          AND status = 'active'
          AND origin = 'compression'
          AND topic = '_profile'
    ), 0
)

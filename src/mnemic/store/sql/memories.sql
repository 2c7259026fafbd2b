-- name: outdated
SELECT s.turn
FROM json_each(:turns) d
CROSS JOIN memory_sources s ON s.space = :space AND s.turn = d.value
CROSS JOIN memories m ON m.space = s.space AND m.id = s.memory
GROUP BY s.turn
HAVING min(CASE WHEN m.status = 'superseded' AND m.valid_to IS NOT NULL THEN 1 ELSE 0 END) = 1

-- name: outdated_in
SELECT min(x.id), min(t.content)
FROM json_each(:sessions) d
CROSS JOIN sessions x ON x.space = :space AND x.id = d.value
CROSS JOIN turns t ON t.space = x.space AND t.session = x.number
CROSS JOIN memory_sources s ON s.space = t.space AND s.turn = t.id
CROSS JOIN memories m ON m.space = s.space AND m.id = s.memory
GROUP BY t.doc
HAVING min(CASE WHEN m.status = 'superseded' AND m.valid_to IS NOT NULL THEN 1 ELSE 0 END) = 1

-- name: of_kinds
SELECT m.doc
FROM json_each(:docs) d
CROSS JOIN memories m ON m.doc = d.atom
WHERE m.space = :space AND m.kind IN (SELECT value FROM json_each(:kinds))

-- name: count_offer
UPDATE memories
SET offered = offered + 1,
    updated_at = CASE WHEN snoozed_until <= :at THEN :at ELSE updated_at END
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: supersede
UPDATE memories
SET status = 'superseded', superseded_by = :new, superseded_at = :at, valid_to = CASE WHEN :ended
    = 1 THEN ifnull(
    (SELECT n.valid_from FROM memories n WHERE n.space = memories.space AND n.id = :new), :at
) END, updated_at = :at
WHERE space = :space AND id = :old

-- name: inherit_core
UPDATE memories
SET core = 1
WHERE space = :space
  AND id = :new
  AND EXISTS (
      SELECT 1 FROM memories o WHERE o.space = memories.space AND o.id = :old AND o.core = 1
  )

-- name: leave_core
UPDATE memories SET core = 0 WHERE space = :space AND id = :old AND core = 1

-- name: release
UPDATE memories
SET valid_to = NULL, superseded_by = ''
WHERE space = :space AND superseded_by = :id AND status = 'active'

-- name: touch
UPDATE memories
SET access_count = access_count + :uses, last_accessed_at = max(last_accessed_at, :at)
WHERE space = :space AND id = :id

-- name: count_noted
SELECT kind, metadata ->> :key, count(*)
FROM memories INDEXED BY memories_with_notes
WHERE space = :space AND status = 'active' AND metadata != '{}' AND metadata ->> :key IS NOT NULL
GROUP BY 1, 2

-- name: partition
SELECT doc
FROM memories
WHERE space = :space
  AND status = 'active'
  AND core = 0
  AND (:project IS NULL OR project IN (:project, '_global'))
ORDER BY importance DESC, doc DESC LIMIT :limit

-- name: core_among
SELECT m.doc
FROM json_each(:docs) d
CROSS JOIN memories m ON m.doc = d.atom
WHERE m.space = :space AND m.core = 1

-- name: chain
WITH RECURSIVE linked(id) AS (
    SELECT id
    FROM memories
    WHERE space = :space AND id = :id
    UNION
    SELECT CASE WHEN m.id = l.id THEN m.superseded_by ELSE m.id END
    FROM linked l
    JOIN memories m ON m.space = :space
      AND (m.superseded_by = l.id OR m.id = l.id AND m.superseded_by != '')
)
SELECT id
FROM linked

-- name: sources
SELECT m.memory, s.id, t.idx, t.id
FROM memory_sources m
JOIN turns t ON t.space = m.space AND t.id = m.turn
JOIN sessions s ON s.space = t.space AND s.number = t.session
WHERE m.space = :space AND m.memory IN (SELECT value FROM json_each(:ids))
ORDER BY t.at, t.doc

-- name: add_sources
INSERT OR IGNORE INTO memory_sources SELECT :space, :id, value FROM json_each(:turns) WHERE true

-- name: drop_sources
DELETE
FROM memory_sources
WHERE space = :space AND memory = :id AND turn IN (SELECT value FROM json_each(:turns))

-- name: worded_alike
doc IN (
    SELECT doc
    FROM memories INDEXED BY memories_by_wording
    WHERE space = :space AND wording = :wording
)
AND project = :project AND status = :status

-- name: any_worded
-- One worded so, or whose wording has no hash yet.
SELECT 1
FROM memories INDEXED BY memories_by_wording
WHERE space = :space AND wording = :wording
UNION ALL
SELECT 1
FROM memories INDEXED BY memories_by_wording
WHERE space = :space AND wording IS NULL
LIMIT 1

-- name: unhashed
SELECT doc, content FROM memories WHERE space = :space AND wording IS NULL LIMIT :limit

-- name: set_wording
UPDATE memories SET wording = ? WHERE +space = ? AND doc = ?

-- name: any_of
SELECT 1 FROM memories WHERE space = :space AND status = :status AND project = :project LIMIT 1

-- name: stated
SELECT m.doc, m.subject, m.predicate, m.value, m.content, m.trust
FROM json_each(:ranges) r
CROSS JOIN memories m ON +m.space = :space
  AND m.doc IN (
      SELECT n.doc
      FROM memories n
      WHERE n.space = :space
        AND n.slot != ''
        AND n.slot BETWEEN r.value ->> 0 AND r.value ->> 1
        AND (n.status = 'active' OR (n.status = 'superseded' AND n.valid_to IS NOT NULL))
      ORDER BY n.slot DESC, n.project DESC, n.doc DESC LIMIT :each
  )
ORDER BY m.created_at DESC, m.doc DESC

-- name: nearest
SELECT min(m.id), max({cosine}) AS cosine
FROM vectors v
CROSS JOIN memories m ON m.space = v.space AND m.doc = v.doc
WHERE v.space = :space
  AND v.embedder = :embedder
  AND v.doc BETWEEN :first AND :last
  AND m.status = :status
  AND (m.expires_at IS NULL OR m.expires_at > :now)
GROUP BY m.doc
ORDER BY cosine DESC, m.doc LIMIT :limit

-- name: projects
-- From one project to the next in the index: DISTINCT would read every memory.
WITH RECURSIVE named(project) AS (
    SELECT min(project)
    FROM memories INDEXED BY memories_by_partition
    WHERE space = :space AND status = :status
    UNION ALL
    SELECT (
        SELECT min(project)
        FROM memories INDEXED BY memories_by_partition
        WHERE space = :space AND status = :status AND project > named.project
    )
    FROM named
    WHERE named.project IS NOT NULL
)
SELECT project FROM named WHERE project IS NOT NULL AND project != '_global'

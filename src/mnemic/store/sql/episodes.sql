-- name: link_back
UPDATE memories
SET episode = :id
WHERE space = :space AND episode = '' AND id IN (SELECT value FROM json_each(:memories))

-- name: touch
UPDATE episodes SET access_count = access_count + :uses WHERE space = :space AND id = :id

-- name: covered
SELECT DISTINCT t.idx
FROM episodes e
JOIN turns t ON t.space = e.space AND t.id = e.last_turn
WHERE e.space = :space AND e.session = :session AND (:source IS NULL OR e.source = :source)
ORDER BY t.idx

-- name: spans
SELECT e.id, e.started_at, t.idx
FROM episodes e
JOIN turns t ON t.space = e.space AND t.id = e.last_turn
WHERE e.space = :space AND e.session = :session
ORDER BY e.doc

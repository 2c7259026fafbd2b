-- name: packed
SELECT t.doc, t.packed
FROM json_each(?) d
CROSS JOIN text_terms t ON t.doc = d.atom AND t.space = ?

-- name: packed_terms
SELECT r.id, p.packed
FROM {table} r
JOIN text_terms p ON p.space = r.space AND p.doc = r.doc
WHERE r.space = :space AND {among} AND r.id IN (SELECT value FROM json_each(:ids))

-- name: records
SELECT r.doc, r.id
FROM json_each(:docs) d
CROSS JOIN {table} r ON r.doc = d.atom
WHERE r.space = :space

-- name: unindexed
SELECT id
FROM {table} r
WHERE space = :space
  AND NOT EXISTS (SELECT 1 FROM text_terms t WHERE t.space = r.space AND t.doc = r.doc)
ORDER BY doc LIMIT :limit

-- name: docs_of
SELECT doc, id FROM {table} WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: highest
SELECT max(doc) FROM text_terms WHERE +space = ? AND doc BETWEEN ? AND ?

-- name: lengths
SELECT length(t.packed)
FROM json_each(?) d
CROSS JOIN text_terms t ON t.doc = d.atom AND t.space = ?

-- name: names
SELECT DISTINCT t.{column}
FROM json_each(?) d
CROSS JOIN {table} t ON t.doc = d.atom
WHERE t.space = ?

-- name: embedder
INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (:name, :dimensions)

-- name: known_embedders
SELECT name, number FROM embedders

-- name: waiting
SELECT count(*) FROM changed_texts WHERE space = :space

-- name: reached
SELECT doc FROM embedded WHERE space = :space AND embedder = :embedder AND type = :type

-- name: check_lengths
UPDATE embedders SET dimensions = :dimensions WHERE number = :number

-- name: length
SELECT dimensions FROM embedders WHERE number = :number

-- name: count_rewrite
INSERT INTO vector_rewrites
VALUES (:number, 1)
ON CONFLICT (space) DO UPDATE SET count = vector_rewrites.count + 1

-- name: state
SELECT type, doc FROM embedded WHERE space = :space AND embedder = :embedder

-- name: rewrites
SELECT count FROM vector_rewrites WHERE space = :number

-- name: coverage
SELECT embedder, doc FROM embedded WHERE space = :space

-- name: coverage_embedders
SELECT number, name, dimensions FROM embedders

-- name: stored
SELECT doc, vector
FROM vectors
WHERE space = :space AND embedder = :embedder AND doc > :first AND doc <= :last
ORDER BY doc, part

-- name: count
SELECT count(*) FROM (SELECT 1 FROM vectors WHERE space = :space
AND embedder = :embedder LIMIT :most) AS counted

-- name: tokens
SELECT t.doc, t.tokens FROM json_each(:docs) d CROSS JOIN token_vectors t
ON t.space = :space AND t.embedder = :embedder AND t.doc = d.atom

-- What is embedded of each type: who said it, what, and beside which turn and on which day.

-- name: text turn
r.sender, r.content, r.role,
ifnull(
    (
        SELECT CASE p.sender WHEN '' THEN p.role ELSE p.sender END || ': ' || p.content
        FROM turns p
        WHERE p.space = r.space AND p.session = r.session AND p.idx = r.idx - 1
    ), ''
),
r.at + r.zone * 60000000

-- name: text memory
'', r.content, '', '', NULL

-- name: text episode
'', r.summary, '', '', NULL

-- name: text attachment
'', r.filename || ' ' || r.description || ' ' || r.transcription || ' ' || r.extracted_text,
'', '', NULL

-- name: unembedded
SELECT r.doc, {text}, 0
FROM {table} r
WHERE +r.space = :space AND r.doc > :reached AND r.doc <= :last
ORDER BY r.doc LIMIT :limit

-- name: changed
SELECT c.doc, {text}, c.change
FROM changed_texts c
CROSS JOIN {table} r ON r.space = c.space AND r.doc = c.doc
WHERE c.space = :space AND c.doc BETWEEN :first AND :reached
ORDER BY c.doc LIMIT :limit

-- name: texts
SELECT r.doc, {text}, ifnull(
    (SELECT c.change FROM changed_texts c WHERE c.space = r.space AND c.doc = r.doc), -1
)
FROM {table} r
WHERE r.space = :space AND r.id IN (SELECT value FROM json_each(:ids))
ORDER BY r.doc

-- name: beyond
-- Only the shorter side is read through, texts and all.
SELECT CASE
    WHEN :last - :reached <= :reached - :first
    THEN (SELECT count(*) FROM {table} WHERE +space = :space AND doc > :reached AND doc <= :last)
    ELSE ({records}) - (SELECT count(*) FROM {table} WHERE +space = :space AND doc >= :first AND doc <= :reached)
END

-- name: put_vector
INSERT INTO vectors
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space, embedder, doc, part) DO UPDATE SET vector = excluded.vector

-- name: put_tokens
INSERT INTO token_vectors
VALUES (?, ?, ?, ?)
ON CONFLICT (space, embedder, doc) DO UPDATE SET tokens = excluded.tokens

-- name: drop_of_docs
DELETE
FROM {table}
WHERE space = :space AND embedder = :embedder AND doc IN (SELECT atom FROM json_each(:docs))

-- name: settle_change
DELETE FROM changed_texts WHERE space = ? AND doc = ? AND change = ?

-- name: scan
SELECT doc, {cosine} FROM vectors v WHERE space = :space AND embedder = :embedder{best}

-- name: sample
SELECT v.doc, {cosine}
FROM json_each(:docs) d
CROSS JOIN vectors v ON v.space = :space AND v.embedder = :embedder AND v.doc = d.atom AND v.part = 0

-- name: cosines
SELECT v.doc, max({cosine})
FROM json_each(:docs) d
CROSS JOIN vectors v ON v.space = :space AND v.embedder = :embedder AND v.doc = d.atom
GROUP BY v.doc

-- name: cached
SELECT vector
FROM embedding_cache
WHERE space = :space AND embedder = :embedder AND hash = :hash

-- name: cache
INSERT OR IGNORE INTO embedding_cache VALUES (?, ?, ?, ?)

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

-- name: drop_card
DELETE FROM cards WHERE space = :space AND name = :name

-- name: get_document_state
SELECT written, writing, rolled_through FROM documents WHERE space = :space AND name = :name

-- name: drop_document_choices
DELETE
FROM document_choices
WHERE space = :space AND memory = :memory AND (:document IS NULL OR document = :document)

-- name: find_reply
SELECT mark, status, body FROM replies WHERE space = :space AND key = :key

-- name: keep_reply
INSERT INTO replies
VALUES (:space, :key, :mark, :status, :body, :at)
ON CONFLICT (space, key) DO NOTHING

-- name: oldest_reply
SELECT at FROM replies WHERE space = :space ORDER BY at DESC LIMIT 1 OFFSET 10000

-- name: drop_replies
DELETE FROM replies WHERE space = :space AND at < :before

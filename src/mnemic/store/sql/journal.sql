-- name: add_event
INSERT INTO events
SELECT :space, :id, :type, :operation_id, ifnull(max(step), -1) + 1, :subject, :payload, :at
FROM events
WHERE space = :space AND operation_id = :operation_id

-- name: mark_compressed
UPDATE daily_events
SET compressed = :compressed
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: usage
SELECT purpose, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost)
FROM usage
WHERE space = :space AND at >= :since
GROUP BY purpose, model
ORDER BY purpose, model

-- name: add_event
INSERT INTO events
VALUES (
    :space, :id, :type, :operation_id,
    (
        SELECT ifnull(max(step), -1) + 1
        FROM events
        WHERE space = :space AND operation_id = :operation_id
    ),
    :subject, :payload, :at
)

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

-- name: totals
SELECT name, sum(amount) FROM counters WHERE space = :space AND day >= :since GROUP BY name

-- name: count_up
INSERT INTO counters
VALUES (?, ?, ?, ?)
ON CONFLICT (space, day, name) DO UPDATE SET amount = counters.amount + excluded.amount

-- name: per_day
SELECT {time} / {quarter}, {zone}, count(*)
FROM {table}
WHERE space = :space AND {time} >= :first{held}
GROUP BY 1, 2

-- name: having_words
(:day IS NULL OR day = :day)
AND NOT EXISTS (
    SELECT 1 FROM json_each(:words) w WHERE instr(lower(summary), lower(w.value)) = 0
)
ORDER BY day DESC, created_at DESC, id DESC LIMIT :limit

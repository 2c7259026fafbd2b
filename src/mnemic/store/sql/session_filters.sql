-- Conditions on sessions, by what is asked for.

-- name: project
project = :project

-- name: text
(
    instr(lower(topic), lower(:text)) > 0
    OR EXISTS (
        SELECT 1
        FROM episodes e
        WHERE e.space = sessions.space
          AND e.session = sessions.id
          AND instr(lower(e.summary), lower(:text)) > 0
    )
)

-- name: since
last_at >= :since

-- name: until
last_at < :until

-- Conditions on the records of each type, as r, that a search may find.

-- name: session turn
r.session = (SELECT number FROM sessions WHERE space = r.space AND id = :session)

-- name: project turn
r.session IN (SELECT number FROM sessions WHERE space = r.space AND project = :project)

-- name: topic turn
r.session IN (SELECT number FROM sessions WHERE space = r.space AND topic = :topic)

-- name: within turn
r.session NOT IN (
    SELECT number FROM sessions WHERE space = r.space AND project NOT IN ('', :within)
)

-- name: importance turn
false

-- name: session memory
EXISTS (
    SELECT 1
    FROM memory_sources m
    JOIN turns t ON t.space = m.space AND t.id = m.turn
    JOIN sessions s ON s.space = t.space AND s.number = t.session
    WHERE m.space = r.space AND m.memory = r.id AND s.id = :session
)

-- name: project memory
r.project = :project

-- name: topic memory
r.topic = :topic

-- name: within memory
r.project IN (:within, '_global')

-- name: importance memory
r.importance >= :min_importance

-- name: session episode
r.session = :session

-- name: project episode
r.session IN (SELECT id FROM sessions WHERE space = r.space AND project = :project)

-- name: topic episode
r.session IN (SELECT id FROM sessions WHERE space = r.space AND topic = :topic)

-- name: within episode
r.session NOT IN (SELECT id FROM sessions WHERE space = r.space AND project NOT IN ('', :within))

-- name: importance episode
r.importance >= :min_importance

-- name: session attachment
r.session = :session

-- name: project attachment
r.session IN (SELECT id FROM sessions WHERE space = r.space AND project = :project)

-- name: topic attachment
r.session IN (SELECT id FROM sessions WHERE space = r.space AND topic = :topic)

-- name: within attachment
r.session NOT IN (SELECT id FROM sessions WHERE space = r.space AND project NOT IN ('', :within))

-- name: importance attachment
false

-- name: own days
-- The bounds around it are for the index.
r.at >= :near_since
  AND r.at < :near_until
  AND CASE WHEN r.zone = 0 THEN r.at >= :days_since
  AND r.at < :days_until ELSE r.at + r.zone * 60000000 >= :wall_since
  AND r.at + r.zone * 60000000 < :wall_until END

-- name: current
-- What lies ahead is evidence already, with its date; what has run out by its own date is not.
r.status = ifnull(:status, 'active')
  AND (r.expires_at IS NULL OR r.expires_at > :now)
  AND (r.valid_to IS NULL OR r.valid_to > :now OR r.status != 'active')

-- name: as_of
-- It held then, by all that is known now.
({r}status IN ('active', 'superseded') OR {r}put_away > :as_of)
AND {r}valid_from <= :as_of
AND (ifnull({r}valid_to, {r}superseded_at) IS NULL OR ifnull({r}valid_to, {r}superseded_at) > :as_of)
AND ({r}expires_at IS NULL OR {r}expires_at > :as_of)

-- name: known_at
-- It was believed then, by what had been learned until then.
({r}status IN ('active', 'superseded') OR {r}put_away > :known_at)
AND {r}created_at <= :known_at
AND ({r}superseded_at IS NULL OR {r}superseded_at > :known_at)
AND ({r}expires_at IS NULL OR {r}expires_at > :known_at)

-- name: has metadata
-- Every key has its value there, whatever of text, number, true, false and null it is.
NOT EXISTS (
    SELECT 1
    FROM json_each(:having) w
    WHERE NOT EXISTS (
        SELECT 1
        FROM json_each({r}metadata) h
        WHERE h.key = w.key
          AND w.value = iif(h.type IN ('true', 'false', 'null'), h.type, CAST(h.atom AS TEXT))
    )
)

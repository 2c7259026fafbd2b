-- name: end_session
UPDATE sessions SET ended_at = :at WHERE space = :space AND id = :session

-- name: latest_docs
SELECT doc FROM turns WHERE space = :space ORDER BY at DESC, doc DESC LIMIT :limit

-- name: mark_digested
UPDATE sessions
SET digested = max(
    digested, ifnull(
        (
            SELECT max(doc)
            FROM turns t
            WHERE t.space = sessions.space
              AND t.session = number
              AND (:turn IS NULL OR t.id = :turn)
        ), -1
    )
)
WHERE space = :space AND id = :session

-- name: mark_extracted
UPDATE sessions AS s
SET extracted = ifnull(
    (
        SELECT min(t.doc) - 1
        FROM turns t
        WHERE t.space = s.space
          AND t.session = s.number
          AND +t.doc > s.extracted
          AND +t.state IN ('new', 'failed')
    )
    , ifnull(
        (SELECT max(t.doc) FROM turns t WHERE t.space = s.space AND t.session = s.number), -1
    )
)
WHERE space = :space AND id = :session

-- name: revive
UPDATE turns
SET state = 'failed', reason = :reason
WHERE space = :space
  AND state = 'dead'
  AND session = (SELECT number FROM sessions WHERE space = :space AND id = :session)
RETURNING doc

-- name: lower_extracted
UPDATE sessions SET extracted = min(extracted, :before) WHERE space = :space AND id = :session

-- name: waiting_tokens
SELECT min(s.id), sum(t.tokens)
FROM json_each(:sessions) j
CROSS JOIN sessions s ON s.space = :space AND s.id = j.value
CROSS JOIN turns t ON t.space = s.space AND t.session = s.number AND +t.doc > s.extracted
WHERE +t.state IN ('new', 'failed')
GROUP BY s.number

-- name: count_waiting
SELECT count(*)
FROM json_each(:sessions) j
CROSS JOIN sessions s ON s.space = :space AND s.id = j.value
CROSS JOIN turns t ON t.space = s.space AND t.session = s.number AND +t.doc > s.extracted
WHERE +t.state IN ('new', 'failed')

-- name: count_prompt
UPDATE sessions
SET prompted = prompted + 1
WHERE space = :space AND id = :session
RETURNING prompted

-- name: sessions_to_extract
SELECT s.id
FROM sessions s
WHERE s.space = :space
  AND EXISTS (
      SELECT 1
      FROM turns t
      WHERE t.space = s.space
        AND t.session = s.number
        AND +t.doc > s.extracted
        AND +t.state IN ('new', 'failed')
  )
ORDER BY s.last_at, s.number LIMIT :limit

-- name: sessions_untold
SELECT s.id
FROM sessions s
WHERE s.space = :space
  AND s.turns > 0
  AND s.last_at < :before
  AND NOT EXISTS (
      SELECT 1
      FROM episodes e
      JOIN turns t ON t.space = e.space AND t.id = e.last_turn
      WHERE e.space = s.space
        AND e.session = s.id
        AND t.session = s.number
        AND t.idx = (
            SELECT max(l.idx) FROM turns l WHERE l.space = s.space AND l.session = s.number
        )
  )
ORDER BY s.last_at DESC, s.number LIMIT :limit

-- name: mark_transcribed
INSERT INTO transcripts
SELECT s.space, s.number, max(t.doc), :bytes, :last_at
FROM sessions s
JOIN turns t ON t.space = s.space AND t.session = s.number
WHERE s.space = :space AND s.id = :session
GROUP BY s.space, s.number
ON CONFLICT (space, session) DO UPDATE SET doc = excluded.doc, bytes = excluded.bytes, last_at =
    excluded.last_at

-- name: drop_transcript
DELETE
FROM transcripts
WHERE space = :space
  AND session = (SELECT number FROM sessions WHERE space = :space AND id = :session)

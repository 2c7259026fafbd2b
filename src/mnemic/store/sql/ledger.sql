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

-- name: speech
SELECT DISTINCT sender
FROM turns
WHERE space = :space AND session = :number AND role = 'user' AND trust = 'owner' AND claimed = 1

-- name: claimants
SELECT DISTINCT t.sender
FROM turns t
JOIN sessions s ON s.space = t.space AND s.number = t.session
WHERE s.space = :space
  AND s.id = :session
  AND t.space = s.space
  AND t.role = 'user'
  AND t.trust = 'owner'
  AND t.claimed = 1

-- name: disown
UPDATE turns AS t
SET trust = 'external'
WHERE t.space = :space
  AND t.session = (SELECT number FROM sessions WHERE space = :space AND id = :session)
  AND t.role = 'user'
  AND t.trust = 'owner'
  AND t.claimed = 1
  AND t.sender IN (SELECT value FROM json_each(:senders))
RETURNING id

-- name: least_trust
SELECT DISTINCT t.trust, t.tool_results IS NOT NULL
FROM turns t
JOIN sessions s ON s.space = t.space AND s.number = t.session
WHERE s.space = :space AND s.id = :session AND t.space = s.space

-- name: set_speech
UPDATE sessions SET speaker = :speaker, shared = :shared WHERE +space = :space AND number = :number

-- name: open_session
INSERT INTO sessions (space, id, project, topic, started_at, last_at, turns, next_idx)
VALUES (:space, :session, :project, :topic, :at, :at, 0, 0)
ON CONFLICT (space, id) DO UPDATE
SET project = CASE WHEN excluded.project = '' THEN sessions.project ELSE excluded.project END,
    topic = CASE WHEN excluded.topic = '' THEN sessions.topic ELSE excluded.topic END,
    ended_at = NULL

-- name: ids_beginning
SELECT id FROM {table} WHERE space = :space AND id >= :first AND id < :last ORDER BY id LIMIT :most

-- name: turn values
(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', '', ?, ?)

-- name: end
-- The end of a session, and the next free document.
SELECT number, next_idx, speaker, shared,
    ifnull((SELECT max(doc) + 1 FROM turns WHERE +space = ? AND doc BETWEEN ? AND ?), ?)
FROM sessions
WHERE space = ? AND id = ?

-- name: grow
UPDATE sessions
SET turns = turns + 1, next_idx = ?, last_at = max(last_at, ?), ended_at = NULL
WHERE +space = ? AND number = ?

-- name: begin_sessions
INSERT INTO sessions (space, id, project, topic, started_at, last_at, turns, next_idx)
SELECT :space, value ->> 0, '', '', CAST(value ->> 1 AS INTEGER), CAST(value ->> 1 AS INTEGER), 0, 0
FROM json_each(:new)

-- name: ends
SELECT s.id, s.number, s.next_idx, s.turns, s.speaker, s.shared
FROM json_each(:sessions) j
CROSS JOIN sessions s ON s.space = :space AND s.id = j.value

-- name: said_at
SELECT role, content, tool_calls, tool_results
FROM turns
WHERE space = :space AND session = :number AND idx = :index

-- name: grow_sessions
UPDATE sessions
SET turns = CAST(j.value ->> 0 AS INTEGER), next_idx = CAST(j.value ->> 1 AS INTEGER),
    last_at = max(last_at, CAST(j.value ->> 2 AS INTEGER)), ended_at = NULL
FROM json_each(:grown) j
WHERE +space = :space AND number = CAST(j.value ->> 3 AS INTEGER)

-- name: turns_by_doc
FROM json_each(?) d
CROSS JOIN turns t ON t.doc = d.atom
CROSS JOIN sessions s ON s.space = t.space AND s.number = t.session
WHERE t.space = ?

-- name: said_by_owner
SELECT t.doc, t.content
FROM json_each(?) d
CROSS JOIN turns t ON t.doc = d.atom
WHERE t.space = ? AND t.trust = 'owner' AND length(t.content) <= ?

-- name: place
n.doc, n.session, n.idx, n.at, n.sender, n.role = 'assistant', octet_length(n.content) <= {short},
CASE WHEN octet_length(n.content) <= {short} THEN n.content ELSE substr(n.content, -{end}) END

-- name: places
FROM json_each(?) d
CROSS JOIN turns n ON n.doc = d.atom
WHERE n.space = ?

-- name: places_around
FROM json_each(?1) d
CROSS JOIN turns t ON t.doc = d.atom
CROSS JOIN turns n ON n.space = t.space
  AND n.session = t.session
  AND n.idx BETWEEN t.idx - ?3 AND t.idx + ?3
WHERE t.space = ?2

-- name: in_order
SELECT t.doc
FROM json_each(?) d
CROSS JOIN turns t ON t.doc = d.atom
WHERE t.space = ?
ORDER BY t.at, t.doc

-- name: set_state
UPDATE turns
SET state = :state, reason = :reason
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: transcribed
ifnull((SELECT doc FROM transcripts r WHERE r.space = s.space AND r.session = s.number), -1)

-- name: transcripts
FROM transcripts r
JOIN sessions s ON s.space = r.space AND s.number = r.session
WHERE r.space = :space

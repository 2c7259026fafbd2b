-- What a space knows of its devices, and of its rows as they are exchanged with them.

-- name: shadows
SELECT key, marks, stamps, held FROM sync_rows WHERE space = :space AND tbl = :tbl

-- name: shadows_of
SELECT key, marks, stamps, held
FROM sync_rows
WHERE space = :space AND tbl = :tbl AND key IN (SELECT value FROM json_each(:keys))

-- name: shadows_held
SELECT key, marks, stamps, held
FROM sync_rows
WHERE space = :space AND tbl = :tbl AND held LIKE '%"true"%'

-- name: put_shadow
INSERT INTO sync_rows (space, tbl, key, marks, stamps, held)
VALUES (:space, :tbl, :key, :marks, :stamps, :held)
ON CONFLICT (space, tbl, key) DO UPDATE
SET marks = excluded.marks, stamps = excluded.stamps, held = excluded.held

-- name: bury
INSERT INTO sync_rows (space, tbl, key, marks, stamps, held)
VALUES (:space, :tbl, :key, '', '', '')
ON CONFLICT (space, tbl, key) DO NOTHING

-- name: changed
SELECT c.tbl, c.key, s.id
FROM sync_changes c
LEFT JOIN sessions s
    ON s.number = CASE WHEN c.tbl = 'sessions' AND c.key <> '' THEN CAST(c.key AS INTEGER) END
    AND s.space = c.space
WHERE c.space = :space

-- name: looks
SELECT key FROM sync_changes WHERE space = :space AND tbl = ''

-- name: settle_changes
DELETE FROM sync_changes
WHERE space = :space AND tbl = :tbl AND key IN (SELECT value FROM json_each(:keys))

-- name: note_change
INSERT INTO sync_changes (space, tbl, key) VALUES (:space, :tbl, :key) ON CONFLICT DO NOTHING

-- name: first_ids
SELECT (SELECT min(id) FROM turns WHERE space = :space), (SELECT min(id) FROM memories WHERE space = :space)

-- name: devices
SELECT device, name, own, clock, at, removed, public
FROM sync_devices
WHERE space = :space
ORDER BY device

-- name: files
SELECT number, before, seen, sha256, bytes, stale
FROM sync_files
WHERE space = :space
ORDER BY number

-- name: drop_files
DELETE FROM sync_files
WHERE space = :space AND number IN (SELECT atom FROM json_each(:numbers))

-- name: receipts
SELECT receipt, device, number, body, counts, confirmed, at
FROM sync_receipts
WHERE space = :space
ORDER BY at, receipt

-- name: count_turns
UPDATE sessions AS s
SET speaker = -1, turns = (
    SELECT count(*) FROM turns t WHERE t.space = s.space AND t.session = s.number
), next_idx = max(
    next_idx, ifnull(
        (SELECT max(t.idx) + 1 FROM turns t WHERE t.space = s.space AND t.session = s.number), 0
    )
)
WHERE s.space = :space AND s.id IN (SELECT value FROM json_each(:sessions))

-- name: spans
SELECT s.id,
    (SELECT min(t.at) FROM turns t WHERE t.space = s.space AND t.session = s.number GROUP BY t.session),
    (SELECT max(t.at) FROM turns t WHERE t.space = s.space AND t.session = s.number GROUP BY t.session)
FROM sessions s
WHERE s.space = :space AND s.id IN (SELECT value FROM json_each(:sessions))

-- name: replaced_by
SELECT subject, payload
FROM events
WHERE space = :space
  AND type = 'supersede'
  AND subject IN (SELECT value FROM json_each(:ids))

-- name: pass_over
UPDATE sessions AS s
SET digested = CASE WHEN digested >= ifnull(
        (
            SELECT max(t.doc)
            FROM turns t
            WHERE t.space = s.space AND t.session = s.number AND +t.doc < :first
        ), -1
    ) THEN :last ELSE digested END,
    extracted = CASE WHEN NOT EXISTS (
        SELECT 1
        FROM turns t
        WHERE t.space = s.space
          AND t.session = s.number
          AND +t.doc > s.extracted
          AND +t.doc < :first
          AND t.state IN ('new', 'failed')
    ) THEN :last ELSE extracted END
WHERE s.space = :space AND s.id IN (SELECT value FROM json_each(:sessions))

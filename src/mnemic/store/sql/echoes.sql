-- name: note
INSERT INTO echo_lines
VALUES (:space, :session, :line, :marks, :words, :taint, :since, :at)
ON CONFLICT (space, session, line) DO UPDATE SET at = max(echo_lines.at, excluded.at), taint =
    max(echo_lines.taint, excluded.taint), since = min(echo_lines.since, excluded.since), words =
    iif(
    length(excluded.words) > 0, excluded.words, echo_lines.words
)

-- name: marks
SELECT marks, since
FROM echo_lines
WHERE space = :space AND session IN (:session, '') AND at >= :since
ORDER BY since DESC

-- name: untrusted
SELECT taint, words FROM echo_lines WHERE space = :space AND at >= :since AND taint >= 2

-- name: every_line
SELECT session, line, marks FROM echo_lines WHERE space = :space

-- name: drop_line
DELETE FROM echo_lines WHERE space = :space AND session = :session AND line = :line

-- name: drop
DELETE FROM echo_lines WHERE space = :space AND at < :limit

-- name: drop_oldest
DELETE
FROM echo_lines
WHERE space = :space
  AND session = :session
  AND line IN (
      SELECT line
      FROM echo_lines
      WHERE space = :space AND session = :session AND {chosen}
      ORDER BY at DESC, line LIMIT -1 OFFSET :most
  )

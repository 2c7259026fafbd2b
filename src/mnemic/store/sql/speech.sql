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

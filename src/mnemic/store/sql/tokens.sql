-- name: add_token
INSERT INTO tokens
VALUES (:id, :digest, :name, :scope, :spaces, :rate, :quota, :created_at, :expires_at, NULL, NULL)
ON CONFLICT (digest) DO NOTHING

-- name: update_token
UPDATE tokens SET name = :name, scope = :scope, spaces = :spaces WHERE digest = :digest

-- name: revoke_token
UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL

-- name: drop_logins_of
DELETE FROM logins WHERE token = :id OR expires_at <= :now

-- name: use_token
UPDATE tokens SET used_at = :at WHERE id = :id AND (used_at IS NULL OR used_at < :at)

-- name: count_uses
INSERT INTO token_uses
VALUES (:token, :period, :amount)
ON CONFLICT (token, period) DO UPDATE SET amount = token_uses.amount + excluded.amount
RETURNING amount

-- name: uses_of
SELECT amount FROM token_uses WHERE token = :token AND period = :period

-- name: drop_uses
DELETE FROM token_uses WHERE token = :token AND period < :minute AND period != :day

-- name: log_in
INSERT INTO logins VALUES (:digest, :token, :expires_at)

-- name: find_login
SELECT token FROM logins WHERE digest = :digest AND expires_at > :now

-- name: log_out
DELETE FROM logins WHERE digest = :digest

-- name: begin_access
INSERT INTO accesses VALUES (:space, :id, :at, :token, :operation, :status, :subject)

-- name: end_access
UPDATE accesses SET status = :status WHERE space = :space AND id = :id

-- name: drop_accesses
DELETE FROM accesses WHERE space = :space AND at < :before

-- name: accesses
SELECT id, at, token, operation, status, subject
FROM accesses
WHERE space = :space AND (:token IS NULL OR token = :token)
ORDER BY id DESC
LIMIT :limit OFFSET :offset

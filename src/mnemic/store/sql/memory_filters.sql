-- Conditions on memories, by the field of MemoryFilter that asks for each.
-- A slot is the subject and the predicate in one folded form; without one of them there is none.

-- name: status
status = :status

-- name: kind
kind = :kind

-- name: project
project = :project

-- name: topic
topic = :topic

-- name: subject
iif(slot = '', lower(trim(subject)), substr(slot, 1, instr(slot, char(31)) - 1)) = :subject

-- name: predicate
iif(slot = '', lower(trim(predicate)), substr(slot, instr(slot, char(31)) + 1)) = :predicate

-- name: tag
EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag)

-- name: trust
trust = :trust

-- name: min_importance
importance >= :min_importance

-- name: contains
instr(lower(content), lower(:contains)) > 0

-- name: since
created_at >= :since

-- name: until
created_at < :until

-- name: holds_at
(expires_at IS NULL OR expires_at > :holds_at)
  AND (valid_to IS NULL OR valid_to > :holds_at)
  AND (valid_from <= :holds_at OR status = 'pending')

-- name: session
session = :session

-- name: from_turn
id IN (
    SELECT m.memory
    FROM turns t
    JOIN memory_sources m ON m.space = t.space AND m.turn = t.id
    WHERE t.space = :space AND t.id = :from_turn
)

-- name: from_sender
id IN (
    SELECT m.memory
    FROM turns t
    JOIN memory_sources m ON m.space = t.space AND m.turn = t.id
    WHERE t.space = :space AND t.sender = :from_sender
)

-- name: from_session
id IN (
    SELECT m.memory
    FROM turns t
    JOIN memory_sources m ON m.space = t.space AND m.turn = t.id
    WHERE t.space = :space
      AND t.session = (SELECT number FROM sessions WHERE space = :space AND id = :from_session)
)

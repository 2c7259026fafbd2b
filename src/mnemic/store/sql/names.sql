-- name: ended
SELECT id
FROM sessions
WHERE space = :space
  AND number IN (
      SELECT session FROM turns WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
  )
  AND NOT EXISTS (
      SELECT 1
      FROM turns t
      WHERE t.space = :space
        AND t.session = number
        AND t.id NOT IN (SELECT value FROM json_each(:ids))
  )

-- name: renew_slots
SELECT id, subject, predicate
FROM memories
WHERE space = :space AND predicate IN (SELECT value FROM json_each(:predicates))

-- name: rename_events
UPDATE events SET type = :after WHERE space = :space AND type = :before

-- name: drop_job
DELETE FROM jobs WHERE +space = :space AND id = :id

-- name: rename_job
UPDATE jobs SET key = :key, payload = :payload WHERE +space = :space AND id = :id

-- Every name of a kind, where that is more than the columns of columns.tsv.

-- name: every tag
SELECT j.value
FROM memories, json_each(tags) j
WHERE space = :space AND tags != '[]'
UNION
SELECT j.value
FROM episodes, json_each(tags) j
WHERE space = :space AND tags != '[]'
UNION
SELECT j.value
FROM attachments, json_each(tags) j
WHERE space = :space AND tags != '[]'

-- name: every tool
SELECT name
FROM turn_tools
WHERE space = :space
UNION
SELECT j.value
FROM episodes, json_each(tools) j
WHERE space = :space AND tools != '[]'

-- name: every tool call
SELECT c.value ->> 'id'
FROM (SELECT DISTINCT space, doc FROM turn_tools WHERE space = :space) u
CROSS JOIN turns USING (space, doc), json_each(tool_calls) c
UNION
SELECT c.value ->> 'call_id'
FROM turns, json_each(tool_results) c
WHERE space = :space AND tool_results IS NOT NULL

-- name: every parameter
SELECT DISTINCT p.key
FROM (SELECT DISTINCT space, doc FROM turn_tools WHERE space = :space) u
CROSS JOIN turns USING (space, doc), json_each(tool_calls) c, json_each(c.value -> 'input') p

-- name: every host
-- Of a part of the host that failed, and of the host's own making.
SELECT subject
FROM events
WHERE space = :space AND (type = 'host_fail' OR substr(type, 1, 5) = 'host.')
UNION
SELECT type
FROM events
WHERE space = :space AND substr(type, 1, 5) = 'host.'

-- name: every operation
-- Those that a host named, and those of ours that are named after something of people's.
SELECT DISTINCT operation_id
FROM events
WHERE space = :space
  AND substr(operation_id, 1, instr(operation_id, ':') - 1) NOT IN (
      'compress', 'document-edit', 'document-remove', 'episode', 'episode_told', 'extract',
          'forget', 'host_fail', 'job', 'off', 'onboarding', 'recall', 'remember', 'rollback',
          'rule', 'rules', 'scratchpad', 'told_by_rules'
  )

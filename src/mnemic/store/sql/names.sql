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

-- name: of_predicates
SELECT id, subject, predicate
FROM memories
WHERE space = :space AND predicate IN (SELECT value FROM json_each(:listed))

-- name: rename
UPDATE {table} SET {column} = :after WHERE space = :space AND {column} = :before

-- name: make_way
DELETE
FROM {table}
WHERE space = :space
  AND {column} = :after
  AND :after != :before
  AND EXISTS (SELECT 1 FROM {table} o WHERE o.space = :space AND o.{column} = :before{same})

-- name: only_in
SELECT {kind}
FROM memories
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
UNION
SELECT {kind}
FROM sessions
WHERE space = :space AND id IN (SELECT value FROM json_each(:ended))
EXCEPT
SELECT {kind}
FROM memories
WHERE space = :space AND id NOT IN (SELECT value FROM json_each(:ids))
EXCEPT
SELECT {kind}
FROM sessions
WHERE space = :space AND id NOT IN (SELECT value FROM json_each(:ended))

-- name: sessions_left
SELECT DISTINCT session
FROM {table}
WHERE space = :space AND session != '' AND id NOT IN (SELECT value FROM json_each(:ids))

-- name: names_of_docs
SELECT DISTINCT {column}
FROM {table}
WHERE space = :space AND {column} != '' AND doc IN (SELECT atom FROM json_each(:docs))

-- name: names_of_others
SELECT DISTINCT {column}
FROM {table}
WHERE space = :space AND doc NOT IN (SELECT atom FROM json_each(:docs))

-- name: has_another
SELECT 1
FROM {table}
WHERE space = :space AND doc NOT IN (SELECT atom FROM json_each(:docs)) AND {column} = :name
LIMIT 1

-- name: every_job
SELECT id, key, payload FROM jobs WHERE space = :space

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

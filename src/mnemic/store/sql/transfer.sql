-- How tables are read and written while their rows move, as far as they do not just have the columns
-- of columns.tsv. Columns of a row that is there are those of r, cells of one that comes are values.
--
-- read: a column that is told otherwise; write: one that is made of other cells; order and where:
-- which rows there are; find: the row that a key names; table: where they stand; stands for: asks
-- whether something else does as well as the row.

-- name: embedders order
number

-- name: embedders where
(
    EXISTS (SELECT 1 FROM embedded x WHERE x.space = :space AND x.embedder = r.number)
      OR EXISTS (SELECT 1 FROM vectors x WHERE x.space = :space AND x.embedder = r.number)
      OR EXISTS (SELECT 1 FROM embedding_cache x WHERE x.space = :space AND x.embedder = r.number)
)

-- name: embedders find
r.name = :name

-- name: sessions order
number

-- name: sessions where
+r.space = :space

-- name: turns read place
r.doc & 68719476735

-- name: turns read session
(SELECT s.id FROM sessions s WHERE s.space = r.space AND s.number = r.session)

-- name: turns write doc
max(
    :first_turn + :place, ifnull(
        (
            SELECT max(doc) + 1
            FROM turns
            WHERE +space = :space AND doc BETWEEN :first_turn AND :last_turn
        ), :first_turn
    )
)

-- name: turns write session
(SELECT number FROM sessions WHERE space = :space AND id = :session)

-- name: turns order
doc

-- name: turns where
+r.space = :space AND r.doc BETWEEN :first_turn AND :last_turn

-- name: memories read place
r.doc & 68719476735

-- name: memories write doc
max(
    :first_memory + :place, ifnull(
        (
            SELECT max(doc) + 1
            FROM memories
            WHERE +space = :space AND doc BETWEEN :first_memory AND :last_memory
        ), :first_memory
    )
)

-- name: memories order
doc

-- name: memories where
+r.space = :space AND r.doc BETWEEN :first_memory AND :last_memory

-- name: episodes read place
r.doc & 68719476735

-- name: episodes write doc
max(
    :first_episode + :place, ifnull(
        (
            SELECT max(doc) + 1
            FROM episodes
            WHERE +space = :space AND doc BETWEEN :first_episode AND :last_episode
        ), :first_episode
    )
)

-- name: episodes order
doc

-- name: episodes where
+r.space = :space AND r.doc BETWEEN :first_episode AND :last_episode

-- name: attachments read place
r.doc & 68719476735

-- name: attachments write doc
max(
    :first_attachment + :place, ifnull(
        (
            SELECT max(doc) + 1
            FROM attachments
            WHERE +space = :space AND doc BETWEEN :first_attachment AND :last_attachment
        ), :first_attachment
    )
)

-- name: attachments order
doc

-- name: attachments where
+r.space = :space AND r.doc BETWEEN :first_attachment AND :last_attachment

-- name: session_progress read session
r.id

-- name: session_progress read digested
(
    SELECT t.id
    FROM turns t
    WHERE t.space = r.space
      AND t.doc = (
          SELECT max(u.doc)
          FROM turns u
          WHERE u.space = r.space AND u.session = r.number AND +u.doc <= r.digested
      )
)

-- name: session_progress read extracted
(
    SELECT t.id
    FROM turns t
    WHERE t.space = r.space
      AND t.doc = (
          SELECT max(u.doc)
          FROM turns u
          WHERE u.space = r.space AND u.session = r.number AND +u.doc <= r.extracted
      )
)

-- name: session_progress order
number

-- name: session_progress where
+r.space = :space
  AND EXISTS (
      SELECT 1
      FROM turns t
      WHERE t.space = r.space AND t.session = r.number AND +t.doc <= max(r.digested, r.extracted)
  )

-- name: session_progress find
r.space = :space AND r.id = :session

-- name: session_progress table
sessions

-- name: jobs read state
iif(r.state = 'running', 'ready', r.state)

-- name: jobs write id
iif(EXISTS (SELECT 1 FROM jobs WHERE id = :id AND space != :space), :id || '-' || :space, :id)

-- name: jobs write state
:state

-- name: jobs write lease_owner
''

-- name: jobs order
id

-- name: jobs where
r.space = :space
  AND NOT (
      r.state = 'running'
        AND EXISTS (
            SELECT 1
            FROM jobs w
            WHERE w.space = r.space
              AND w.kind = r.kind
              AND w.key = r.key
              AND (w.state = 'ready' OR w.state = 'running' AND w.id > r.id)
        )
  )

-- name: jobs find
r.space = :space AND r.id IN (:id, :id || '-' || :space)

-- name: upkeep_steps write owner
''

-- name: vectors read embedder
(SELECT name FROM embedders e WHERE e.number = r.embedder)

-- name: vectors read type
CASE WHEN r.doc BETWEEN :first_memory AND :last_memory THEN 'memory' WHEN r.doc BETWEEN
    :first_turn AND :last_turn THEN 'turn' WHEN r.doc BETWEEN :first_episode AND :last_episode
    THEN 'episode' WHEN r.doc BETWEEN :first_attachment AND :last_attachment THEN 'attachment' END

-- name: vectors read record
coalesce(
    (SELECT id FROM turns x WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM memories x
        WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM episodes x WHERE x.space =
        r.space AND x.doc = r.doc), (
        SELECT id FROM attachments x WHERE x.space = r.space AND x.doc = r.doc
    )
)

-- name: vectors write embedder
(SELECT number FROM embedders WHERE name = :embedder)

-- name: vectors write doc
CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id = :record)
    WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record) WHEN 'episode'
    THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN 'attachment' THEN (
    SELECT doc FROM attachments WHERE space = :space AND id = :record
) END

-- name: vectors order
embedder doc part

-- name: vectors find
r.space = :space
  AND r.embedder = (SELECT number FROM embedders WHERE name = :embedder)
  AND r.doc = CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id
      = :record) WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record)
      WHEN 'episode' THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN
      'attachment' THEN (
      SELECT doc FROM attachments WHERE space = :space AND id = :record
  ) END
  AND r.part = :part

-- name: token_vectors read embedder
(SELECT name FROM embedders e WHERE e.number = r.embedder)

-- name: token_vectors read type
CASE WHEN r.doc BETWEEN :first_memory AND :last_memory THEN 'memory' WHEN r.doc BETWEEN
    :first_turn AND :last_turn THEN 'turn' WHEN r.doc BETWEEN :first_episode AND :last_episode
    THEN 'episode' WHEN r.doc BETWEEN :first_attachment AND :last_attachment THEN 'attachment' END

-- name: token_vectors read record
coalesce(
    (SELECT id FROM turns x WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM memories x
        WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM episodes x WHERE x.space =
        r.space AND x.doc = r.doc), (
        SELECT id FROM attachments x WHERE x.space = r.space AND x.doc = r.doc
    )
)

-- name: token_vectors write embedder
(SELECT number FROM embedders WHERE name = :embedder)

-- name: token_vectors write doc
CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id = :record)
    WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record) WHEN 'episode'
    THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN 'attachment' THEN (
    SELECT doc FROM attachments WHERE space = :space AND id = :record
) END

-- name: token_vectors order
embedder doc

-- name: token_vectors find
r.space = :space
  AND r.embedder = (SELECT number FROM embedders WHERE name = :embedder)
  AND r.doc = CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id
      = :record) WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record)
      WHEN 'episode' THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN
      'attachment' THEN (
      SELECT doc FROM attachments WHERE space = :space AND id = :record
  ) END

-- name: embedding_cache read embedder
(SELECT name FROM embedders e WHERE e.number = r.embedder)

-- name: embedding_cache write embedder
(SELECT number FROM embedders WHERE name = :embedder)

-- name: embedding_cache order
embedder hash

-- name: embedding_cache find
r.space = :space
  AND r.embedder = (SELECT number FROM embedders WHERE name = :embedder)
  AND r.hash = :hash

-- name: changed_texts read type
CASE WHEN r.doc BETWEEN :first_memory AND :last_memory THEN 'memory' WHEN r.doc BETWEEN
    :first_turn AND :last_turn THEN 'turn' WHEN r.doc BETWEEN :first_episode AND :last_episode
    THEN 'episode' WHEN r.doc BETWEEN :first_attachment AND :last_attachment THEN 'attachment' END

-- name: changed_texts read record
coalesce(
    (SELECT id FROM turns x WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM memories x
        WHERE x.space = r.space AND x.doc = r.doc), (SELECT id FROM episodes x WHERE x.space =
        r.space AND x.doc = r.doc), (
        SELECT id FROM attachments x WHERE x.space = r.space AND x.doc = r.doc
    )
)

-- name: changed_texts write doc
CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id = :record)
    WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record) WHEN 'episode'
    THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN 'attachment' THEN (
    SELECT doc FROM attachments WHERE space = :space AND id = :record
) END

-- name: changed_texts order
doc

-- name: changed_texts find
r.space = :space
  AND r.doc = CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id
      = :record) WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :record)
      WHEN 'episode' THEN (SELECT doc FROM episodes WHERE space = :space AND id = :record) WHEN
      'attachment' THEN (
      SELECT doc FROM attachments WHERE space = :space AND id = :record
  ) END

-- name: embedded read embedder
(SELECT name FROM embedders e WHERE e.number = r.embedder)

-- name: embedded read through
CASE r.type WHEN 'memory' THEN (SELECT x.id FROM memories x WHERE +x.space = r.space AND x.doc
    BETWEEN :first_memory AND r.doc ORDER BY x.doc DESC LIMIT 1) WHEN 'turn' THEN (SELECT x.id
    FROM turns x WHERE +x.space = r.space AND x.doc BETWEEN :first_turn AND r.doc ORDER BY x.doc
    DESC LIMIT 1) WHEN 'episode' THEN (SELECT x.id FROM episodes x WHERE +x.space = r.space AND
    x.doc BETWEEN :first_episode AND r.doc ORDER BY x.doc DESC LIMIT 1) WHEN 'attachment' THEN (
    SELECT x.id
    FROM attachments x
    WHERE +x.space = r.space AND x.doc BETWEEN :first_attachment AND r.doc
    ORDER BY x.doc DESC LIMIT 1
) END

-- name: embedded read records
CASE r.type WHEN 'memory' THEN (SELECT count(*) FROM memories x WHERE +x.space = r.space AND x.doc
    BETWEEN :first_memory AND r.doc) WHEN 'turn' THEN (SELECT count(*) FROM turns x WHERE +x.space
    = r.space AND x.doc BETWEEN :first_turn AND r.doc) WHEN 'episode' THEN (SELECT count(*) FROM
    episodes x WHERE +x.space = r.space AND x.doc BETWEEN :first_episode AND r.doc) WHEN
    'attachment' THEN (
    SELECT count(*)
    FROM attachments x
    WHERE +x.space = r.space AND x.doc BETWEEN :first_attachment AND r.doc
) END

-- name: embedded order
embedder type

-- name: embedded find
r.space = :space
  AND r.embedder = (SELECT number FROM embedders WHERE name = :embedder)
  AND r.type = :type

-- name: session_progress stands for
SELECT 1
FROM sessions r
WHERE r.space = :space
  AND r.id = :session
  AND (
      :digested IS NULL
        OR r.digested >= (SELECT doc FROM turns WHERE space = :space AND id = :digested)
  )
  AND (
      :extracted IS NULL
        OR r.extracted >= (SELECT doc FROM turns WHERE space = :space AND id = :extracted)
  )

-- name: embedded stands for
SELECT 1
FROM embedded r
WHERE r.space = :space
  AND r.embedder = (SELECT number FROM embedders WHERE name = :embedder)
  AND r.type = :type
  AND r.doc >= CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id
      = :through) WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :through)
      WHEN 'episode' THEN (SELECT doc FROM episodes WHERE space = :space AND id = :through) WHEN
      'attachment' THEN (
      SELECT doc FROM attachments WHERE space = :space AND id = :through
  ) END

-- name: jobs stands for
SELECT 1
FROM jobs
WHERE space = :space AND kind = :kind AND key = :key AND state = 'ready' AND :state = 'ready'

-- name: schedules stands for
SELECT 1
FROM schedules
WHERE space = :space AND kind = :kind AND cron = :cron AND zone = :zone AND last_at IS NOT NULL

-- name: embedders stands for
SELECT 1 FROM embedders WHERE name = :name AND :dimensions = 0

-- name: embedder number
SELECT (SELECT number FROM embedders WHERE name = :embedder)

-- name: document through
SELECT CASE :type WHEN 'memory' THEN (SELECT doc FROM memories WHERE space = :space AND id =
    :through) WHEN 'turn' THEN (SELECT doc FROM turns WHERE space = :space AND id = :through) WHEN
    'episode' THEN (SELECT doc FROM episodes WHERE space = :space AND id = :through) WHEN
    'attachment' THEN (
    SELECT doc FROM attachments WHERE space = :space AND id = :through
) END

-- name: put embedder
INSERT INTO embedders (name, dimensions)
VALUES (:name, :dimensions)
ON CONFLICT (name) DO UPDATE SET dimensions = max(embedders.dimensions, excluded.dimensions)

-- name: between marks
+space = :space
  AND doc <= :doc
  AND doc >= ifnull(
      (
          SELECT doc + 1
          FROM embedded
          WHERE space = :space AND embedder = :number AND type = :type
      ), :first
  )

-- name: count rewrite
INSERT INTO vector_rewrites
SELECT :number, 1
WHERE EXISTS (
    SELECT 1
    FROM embedded
    WHERE space = :space
      AND type = :type
      AND embedder = (SELECT number FROM embedders WHERE name = :embedder)
)
ON CONFLICT (space) DO UPDATE SET count = vector_rewrites.count + 1

-- name: turn tool
INSERT OR IGNORE INTO turn_tools
SELECT :space, :name, doc
FROM turns
WHERE space = :space AND id = :id

-- name: longer sessions
UPDATE sessions AS s
SET speaker = :speaker, last_at = max(
    last_at, (SELECT max(t.at) FROM turns t WHERE t.space = s.space AND t.session = s.number)
)
, turns = (SELECT count(*) FROM turns t WHERE t.space = s.space AND t.session = s.number),
    next_idx = (
    SELECT max(t.idx) + 1 FROM turns t WHERE t.space = s.space AND t.session = s.number
)
WHERE s.space = :space
  AND s.id IN (SELECT value FROM json_each(:sessions))
  AND s.next_idx <= (
      SELECT max(t.idx) FROM turns t WHERE t.space = s.space AND t.session = s.number
  )

-- name: turn of mark
SELECT doc FROM turns WHERE space = :space AND id = :{}

-- name: first waiting
(
    SELECT min(t.doc) - 1
    FROM turns t
    WHERE t.space = sessions.space
      AND t.session = number
      AND +t.doc > extracted
      AND +t.doc <= :doc
      AND t.state IN ('new', 'failed')
)

-- name: raise mark
UPDATE sessions
SET {mark} = max({mark}, min(:doc, ifnull({waiting}, :doc)))
WHERE space = :space AND id = :session

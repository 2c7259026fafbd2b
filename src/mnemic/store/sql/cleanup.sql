-- name: ask_again
INSERT INTO changed_texts
SELECT :space, atom, 1
FROM json_each(:docs)
WHERE true
ON CONFLICT (space, doc) DO UPDATE SET change = changed_texts.change + 1

-- Rows that lead to nothing: what they are, and their table with the column that names them.

-- name: sources without a memory: memory_sources.memory
NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = o.space AND m.id = o.memory)

-- name: sources without a turn: memory_sources.memory
NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = o.space AND t.id = o.turn)

-- name: tools without a turn: turn_tools.name
NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = o.space AND t.doc = o.doc)

-- name: choices without a memory: document_choices.memory
NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = o.space AND m.id = o.memory)

-- name: transcripts without a session: transcripts.session
NOT EXISTS (SELECT 1 FROM sessions s WHERE s.space = o.space AND s.number = o.session)

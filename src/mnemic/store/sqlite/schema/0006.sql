-- Version 6: what a host keeps with a turn, and how a memory came to be.

ALTER TABLE turns ADD COLUMN metadata TEXT;   -- a small JSON object, NULL when there is none
-- extraction, compression, proposal, manual, migration
ALTER TABLE memories ADD COLUMN origin TEXT NOT NULL DEFAULT 'extraction';
-- The operation that wrote a memory tells; where a host named it, whether it stands on a turn.
UPDATE memories SET origin = CASE
    (SELECT substr(e.operation_id, 1, instr(e.operation_id, ':')) FROM events e
     WHERE e.space = memories.space AND e.subject = memories.id AND e.type IN ('write', 'pending')
     ORDER BY e.at LIMIT 1)
    WHEN 'extract:' THEN 'extraction'
    WHEN 'rules:' THEN 'extraction'
    WHEN 'compress:' THEN 'compression'
    WHEN 'propose:' THEN 'proposal'
    WHEN 'remember:' THEN 'manual'
    WHEN 'edit:' THEN 'manual'
    ELSE iif(EXISTS (SELECT 1 FROM memory_sources s
                     WHERE s.space = memories.space AND s.memory = memories.id),
             'extraction', 'manual') END;

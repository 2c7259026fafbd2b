-- Version 3: what a memory says of its subject, how often it was confirmed, and the pending inbox.
-- `slot` is subject and predicate in one folded form (rules/slots.py), so that "Python Version" and
-- "ｐｙｔｈｏｎ version" are one question; rows from before are folded as far as SQL can.

ALTER TABLE memories ADD COLUMN value TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN slot TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN confirmations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN session TEXT NOT NULL DEFAULT '';  -- it ends with this session
ALTER TABLE memories ADD COLUMN snoozed_until INTEGER;             -- "later": not offered before
ALTER TABLE memories ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;

UPDATE memories SET slot = lower(trim(subject)) || char(31) || lower(trim(predicate))
WHERE trim(subject) != '' AND trim(predicate) != '';

DROP INDEX memories_by_slot;
CREATE INDEX memories_by_slot ON memories (space, slot, project) WHERE slot != '';
CREATE INDEX memories_by_trust ON memories (space, trust) WHERE trust != 'owner';
CREATE INDEX memories_by_session ON memories (space, session) WHERE session != '';

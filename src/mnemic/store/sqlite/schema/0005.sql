-- Version 5: what a host keeps with a memory.

ALTER TABLE memories ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';   -- a small JSON object

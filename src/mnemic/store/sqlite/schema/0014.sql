-- The newest memories and their number by day, without a look at all of them.
CREATE INDEX memories_by_age ON memories (space, created_at);

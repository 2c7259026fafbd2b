-- As SQLite's 0014.sql.
CREATE INDEX memories_by_age ON memories (space, created_at);

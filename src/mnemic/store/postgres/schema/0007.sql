-- As SQLite's 0013.sql; here an exchange looks at every row.
ALTER TABLE sync_rows DROP COLUMN origin;
CREATE INDEX events_by_id ON events (space, id);

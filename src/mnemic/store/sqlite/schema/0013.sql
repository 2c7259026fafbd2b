-- Rows that changed since they were last exchanged (changes.py): an exchange looks at these, and not
-- at the whole memory. A memory that was exchanged before is looked at once more.
CREATE TABLE sync_changes (
    space  INTEGER NOT NULL,
    tbl    TEXT NOT NULL,                       -- empty: every table
    key    TEXT NOT NULL,                       -- ids of the row, number of a session; empty: the table
    PRIMARY KEY (space, tbl, key)
) STRICT, WITHOUT ROWID;
INSERT INTO sync_changes SELECT space, '', '' FROM sync_devices WHERE own = 1;

ALTER TABLE sync_rows DROP COLUMN origin;

CREATE INDEX events_by_id ON events (space, id);

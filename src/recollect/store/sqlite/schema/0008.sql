-- Version 8: what memory was used for, counted by day; numbers only.

CREATE TABLE counters (
    space   INTEGER NOT NULL,
    day     TEXT NOT NULL,
    name    TEXT NOT NULL,
    amount  INTEGER NOT NULL,
    PRIMARY KEY (space, day, name)
) STRICT, WITHOUT ROWID;

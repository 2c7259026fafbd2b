-- Rows that changed since they were last exchanged with other devices: as SQLite's 0013.sql and
-- changes.py. The writers of a space wait for each other, so that who settles a note has seen the
-- row that it stands for.
CREATE TABLE sync_changes (
    space  BIGINT NOT NULL,
    tbl    TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (space, tbl, key)
);

ALTER TABLE sync_devices NO FORCE ROW LEVEL SECURITY;
INSERT INTO sync_changes SELECT space, '', '' FROM sync_devices WHERE own = 1;
ALTER TABLE sync_devices FORCE ROW LEVEL SECURITY;

ALTER TABLE sync_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON sync_changes USING (space = own_space());

-- Its argument is the name of the table, which on a cluster has another one on every machine.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed record;
    named text := '';
BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
    IF NOT EXISTS (SELECT 1 FROM mnemic.sync_devices WHERE space = changed.space AND own = 1) THEN
        RETURN NULL;
    END IF;
    CASE TG_ARGV[0]
        WHEN 'sessions' THEN
            IF TG_OP <> 'DELETE' THEN named := changed.number; END IF;
            IF TG_OP = 'UPDATE' THEN  -- its number no longer tells its old id
                IF OLD.id <> NEW.id THEN named := ''; END IF;
            END IF;
        WHEN 'memory_sources' THEN
            named := changed.memory || chr(31) || changed.turn;
            IF TG_OP = 'UPDATE' THEN
                INSERT INTO mnemic.sync_changes VALUES
                    (OLD.space, TG_ARGV[0], OLD.memory || chr(31) || OLD.turn)
                ON CONFLICT DO NOTHING;
            END IF;
        WHEN 'scratchpads', 'document_choices', 'onboarding', 'counters' THEN
            NULL;  -- a table with few rows is noted as a whole
        ELSE
            named := changed.id;
    END CASE;
    INSERT INTO mnemic.sync_changes VALUES (changed.space, TG_ARGV[0], named) ON CONFLICT DO NOTHING;
    RETURN NULL;
END;
$$;

DO $$
DECLARE
    noted name;
BEGIN
    FOREACH noted IN ARRAY ARRAY['sessions', 'turns', 'memories', 'memory_sources', 'episodes',
        'attachments', 'events', 'daily_events', 'usage', 'scratchpads', 'document_choices',
        'onboarding', 'counters'] LOOP
        EXECUTE format('CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON %I'
            ' FOR EACH ROW EXECUTE FUNCTION note_change(%L)', noted, noted);
    END LOOP;
END;
$$;

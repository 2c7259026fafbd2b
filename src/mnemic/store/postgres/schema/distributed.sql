-- For a cluster that distributes tables over machines (Citus, or what speaks like it): run once, by
-- hand, in a database in which the schema has been made and which is still empty. Every key begins
-- with the space and every join names it on both sides, so all that one space has is on one machine
-- and a transaction of a space never leaves it.

SET search_path = mnemic, public;
SET citus.propagate_set_commands = 'local';  -- also for every role that connects: ALTER ROLE ... SET
SET citus.enable_unsafe_triggers = on;  -- note_change() writes beside the row it is called for

-- Small, the same on every machine.
SELECT create_reference_table('spaces');
SELECT create_reference_table('embedders');
SELECT create_reference_table('migrations');
SELECT create_reference_table('tokens');
SELECT create_reference_table('logins');
SELECT create_reference_table('token_uses');

-- By space, and together.
SELECT create_distributed_table('turns', 'space');
SELECT create_distributed_table('sessions', 'space', colocate_with => 'turns');
SELECT create_distributed_table('turn_tools', 'space', colocate_with => 'turns');
SELECT create_distributed_table('memories', 'space', colocate_with => 'turns');
SELECT create_distributed_table('memory_sources', 'space', colocate_with => 'turns');
SELECT create_distributed_table('episodes', 'space', colocate_with => 'turns');
SELECT create_distributed_table('attachments', 'space', colocate_with => 'turns');
SELECT create_distributed_table('events', 'space', colocate_with => 'turns');
SELECT create_distributed_table('daily_events', 'space', colocate_with => 'turns');
SELECT create_distributed_table('usage', 'space', colocate_with => 'turns');
SELECT create_distributed_table('text_terms', 'space', colocate_with => 'turns');
SELECT create_distributed_table('text_postings', 'space', colocate_with => 'turns');
SELECT create_distributed_table('jobs', 'space', colocate_with => 'turns');
SELECT create_distributed_table('schedules', 'space', colocate_with => 'turns');
SELECT create_distributed_table('transcripts', 'space', colocate_with => 'turns');
SELECT create_distributed_table('embedded', 'space', colocate_with => 'turns');
SELECT create_distributed_table('changed_texts', 'space', colocate_with => 'turns');
SELECT create_distributed_table('scratchpads', 'space', colocate_with => 'turns');
SELECT create_distributed_table('vectors', 'space', colocate_with => 'turns');
SELECT create_distributed_table('token_vectors', 'space', colocate_with => 'turns');
SELECT create_distributed_table('embedding_cache', 'space', colocate_with => 'turns');
SELECT create_distributed_table('documents', 'space', colocate_with => 'turns');
SELECT create_distributed_table('document_choices', 'space', colocate_with => 'turns');
SELECT create_distributed_table('upkeep_runs', 'space', colocate_with => 'turns');
SELECT create_distributed_table('upkeep_steps', 'space', colocate_with => 'turns');
SELECT create_distributed_table('cards', 'space', colocate_with => 'turns');
SELECT create_distributed_table('onboarding', 'space', colocate_with => 'turns');
SELECT create_distributed_table('counters', 'space', colocate_with => 'turns');
SELECT create_distributed_table('echo_lines', 'space', colocate_with => 'turns');
SELECT create_distributed_table('replies', 'space', colocate_with => 'turns');
SELECT create_distributed_table('sync_devices', 'space', colocate_with => 'turns');
SELECT create_distributed_table('sync_rows', 'space', colocate_with => 'turns');
SELECT create_distributed_table('sync_changes', 'space', colocate_with => 'turns');
SELECT create_distributed_table('sync_files', 'space', colocate_with => 'turns');
SELECT create_distributed_table('sync_receipts', 'space', colocate_with => 'turns');
SELECT create_distributed_table('accesses', 'space', colocate_with => 'turns');

-- Its number holds a space and a type, so it stands by itself.
SELECT create_distributed_table('vector_rewrites', 'space', colocate_with => 'none');

-- What row-level security and the statements call on every machine.
SELECT create_distributed_function('as_json(text)');
SELECT create_distributed_function('list_name(text)');
SELECT create_distributed_function('json_items(text)');
SELECT create_distributed_function('json_fields(text)');
SELECT create_distributed_function('note_change()');
SELECT create_distributed_function('own_space()');
SELECT create_distributed_function('serves_queue()');

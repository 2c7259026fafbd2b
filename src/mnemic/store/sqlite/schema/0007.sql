-- Many spaces in one file: what is due is found by space, and by time among many schedules.
CREATE INDEX jobs_by_space ON jobs (state, space, run_at);
CREATE INDEX schedules_due ON schedules (next_at);
CREATE INDEX schedules_run ON schedules (last_at);

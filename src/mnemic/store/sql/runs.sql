-- name: begin
SELECT run, finished_at
FROM upkeep_runs
WHERE space = :space AND work = :work AND (run = :name OR run LIKE :again)
ORDER BY length(run), run

-- name: take
SELECT finished_at IS NOT NULL, lease_until > :now AND owner != :owner
FROM upkeep_steps
WHERE space = :space AND work = :work AND run = :run AND step = :step

-- name: take_step
INSERT INTO upkeep_steps
VALUES (:space, :work, :run, :step, :owner, :until, NULL, '{}', '')
ON CONFLICT (
    space, work, run, step
) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until, error = ''

-- name: progress
SELECT counts
FROM upkeep_steps
WHERE space = :space AND work = :work AND run = :run AND step = :step AND owner = :owner

-- name: progress_further
UPDATE upkeep_steps
SET counts = :counts, lease_until = :until
WHERE space = :space AND work = :work AND run = :run AND step = :step

-- name: finish
UPDATE upkeep_steps
SET finished_at = :done, error = :error, lease_until = NULL
WHERE space = :space AND work = :work AND run = :run AND step = :step AND owner = :owner

-- name: close
UPDATE upkeep_runs SET finished_at = :now WHERE space = :space AND work = :work AND run = :run

-- name: last_done
SELECT max(r.started_at)
FROM upkeep_steps s
JOIN upkeep_runs r ON r.space = s.space AND r.work = s.work AND r.run = s.run
WHERE s.space = :space AND s.step = :step AND s.finished_at IS NOT NULL

-- name: begun_after
SELECT work, run
FROM upkeep_runs
WHERE space = :space AND started_at > :moment
ORDER BY started_at DESC, length(run) DESC, run DESC

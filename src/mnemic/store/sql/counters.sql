-- name: totals
SELECT name, sum(amount) FROM counters WHERE space = :space AND day >= :since GROUP BY name

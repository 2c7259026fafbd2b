-- name: add_lists
INSERT INTO text_postings
SELECT $1, t.term, n.doc
FROM unnest($2::bigint[], $3::text[]) AS n (doc, words), LATERAL (
    SELECT CASE WHEN length(w) <= 256 THEN w ELSE list_name(w) END
    FROM string_to_table(n.words, ' ') AS w
    WHERE w <> ''
) AS t (term)
ORDER BY t.term, n.doc

-- name: add_terms
INSERT INTO text_terms
SELECT $1, n.doc, n.packed, n.words
FROM unnest($2::bigint[], $3::bytea[], $4::text[]) AS n (doc, packed, words)

-- name: remove
WITH gone AS (DELETE FROM text_terms WHERE space = $1 AND doc = ANY ($2::bigint[]) RETURNING doc,
    words), listed AS (
    SELECT g.doc, t.term
    FROM gone g, LATERAL (
        SELECT CASE WHEN length(w) <= 256 THEN w ELSE list_name(w) END
        FROM string_to_table(g.words, ' ') AS w
        WHERE w <> ''
    ) AS t (term)
)
DELETE
FROM text_postings p USING listed n
WHERE p.space = $1 AND p.term = n.term AND p.doc = n.doc

-- name: count
-- Of another form of a term only those documents count that do not have the term itself.
SELECT coalesce(string_agg((l.doc - $2)::text, ','), ''), count(l.doc), coalesce(max(l.doc), $2)
FROM unnest($4::text[], $5::text[])
WITH ORDINALITY AS n (term, other, place)
LEFT JOIN LATERAL (
    SELECT p.doc
    FROM text_postings p
    WHERE p.space = $1
      AND p.doc BETWEEN $2 AND $3
      AND p.term = n.term COLLATE "C"
      AND (
          n.other = ''
            OR NOT EXISTS (
                SELECT 1
                FROM text_postings f
                WHERE f.space = $1 AND f.term = n.other COLLATE "C" AND f.doc = p.doc
            )
      )
    ORDER BY p.doc LIMIT $6
) l ON true
GROUP BY n.place
ORDER BY n.place

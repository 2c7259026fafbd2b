-- name: unknown
created_at < :before
AND put_away IS NULL
AND memories = '[]'
AND description = ''
AND transcription = ''
AND extracted_text = ''

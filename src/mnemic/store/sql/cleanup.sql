-- name: ask_again
INSERT INTO changed_texts SELECT :space, atom, 1 FROM json_each(:docs) WHERE true
ON CONFLICT (space, doc) DO UPDATE SET change = changed_texts.change + 1

-- What was not stored, by the word that the answer began with and the reason, the latest last.
SELECT word, reason, times, last_at FROM refusal ORDER BY last_at, word, reason

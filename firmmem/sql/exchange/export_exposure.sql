-- How often one memory was shown.
SELECT times, last_at FROM exposure WHERE memory = :memory

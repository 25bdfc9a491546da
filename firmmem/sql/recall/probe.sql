-- The words that are looked for: each of :probes is [lowest row, highest row, match].
-- MATERIALIZED, because SQLite would otherwise read the bounds from the text again for each row that matches.
    probe AS MATERIALIZED (
        SELECT
            key,
            json_extract(value, '$[0]') AS lowest,
            json_extract(value, '$[1]') AS highest,
            json_extract(value, '$[2]') AS once
        FROM json_each(:probes)
    )

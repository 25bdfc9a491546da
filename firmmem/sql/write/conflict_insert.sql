-- Note that one memory seems to contradict some others, each pair both ways.
INSERT OR IGNORE INTO conflict (memory, other)
SELECT :memory, value FROM json_each(:others) WHERE value <> :memory
UNION ALL
SELECT value, :memory FROM json_each(:others) WHERE value <> :memory

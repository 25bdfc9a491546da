-- The words of the memories of these ids, as one text: [[id, words], ...].
SELECT json_group_array(json_array(memory.id, memory.words)) AS found
FROM json_each(:ids) AS wanted
CROSS JOIN memory ON memory.id IN (wanted.value)

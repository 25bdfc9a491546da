-- What a store is like now, and was like when its pins were last checked.
SELECT
    (SELECT user_version FROM pragma_user_version) || ' ' || coalesce((SELECT max(id) FROM run), 0) AS stamp,
    (SELECT stamp FROM pin_check WHERE id = 1) AS checked,
    coalesce((SELECT model FROM pin_check WHERE id = 1), '') AS model,
    EXISTS (SELECT 1 FROM pin) AS pinned

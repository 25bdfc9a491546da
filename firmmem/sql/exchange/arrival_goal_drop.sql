-- Drop a goal.
DELETE FROM goal WHERE id = :id

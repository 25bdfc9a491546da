-- How many changes and moves one run has made.
SELECT
    (SELECT count(*) FROM change WHERE change.run = :run)
    + (SELECT count(*) FROM move INDEXED BY move_by_run WHERE move.run = :run) AS count

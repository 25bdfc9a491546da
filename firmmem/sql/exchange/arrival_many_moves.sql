-- Whether the ledger of moves is too long to be read through while others wait.
SELECT count(*) > :most AS many FROM (SELECT 1 FROM move LIMIT (:most + 1))

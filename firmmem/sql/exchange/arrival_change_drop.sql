-- Drop the record of one change, which is taken back or stays for good.
DELETE FROM arrival_change WHERE id = :id

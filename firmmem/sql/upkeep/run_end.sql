-- Say how a run ended.
UPDATE run SET ended_at = :now, done = :done, result = :result, failed = :failed WHERE id = :id

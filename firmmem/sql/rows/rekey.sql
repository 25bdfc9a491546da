-- Give one memory the keys of the file's keying.
UPDATE memory SET half_life = :half_life, stream = :stream, rank_key = :rank_key, fades_at = :fades_at WHERE id = :id

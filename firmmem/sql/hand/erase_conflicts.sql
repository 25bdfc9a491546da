-- Drop what one memory seemed to contradict.
DELETE FROM conflict WHERE memory = :id OR other = :id

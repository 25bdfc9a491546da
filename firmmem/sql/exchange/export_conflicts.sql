-- The memories that one seemed to contradict.
SELECT other FROM conflict WHERE memory = :memory ORDER BY other

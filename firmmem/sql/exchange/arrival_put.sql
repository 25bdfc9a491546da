-- Put one memory on another shelf, without that being a move of it.
UPDATE memory SET shelf = :shelf, search_id = :shelf << 40 | id WHERE id = :id

-- Give a shelf another branch's name.
UPDATE shelf SET branch = :branch WHERE id = :id

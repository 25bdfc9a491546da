-- The last row of the search index that is of a shelf, whose rows are from :lowest to :highest.
SELECT max(search_id) AS last FROM memory WHERE search_id BETWEEN :lowest AND :highest

-- One memory, whatever the question.
    SELECT :id, :relevance, :relevance, NULL

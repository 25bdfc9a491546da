-- One memory, whatever the question.
    SELECT :id, :relevance, 0, 0.0, :relevance, NULL

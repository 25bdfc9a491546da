-- Note a memory that was looked at for an injection; `reason` is why it was not given, '' where it was.
INSERT INTO injected (injection, memory, place, reason, tokens, relevance, rfm, trust, alignment, score)
VALUES (:injection, :memory, :place, :reason, :tokens, :relevance, :rfm, :trust, :alignment, :score)

-- Write down what an import changed of what was there.
INSERT INTO arrival_change (run, kind, changed, before, after) VALUES (:run, :kind, :changed, :before, :after)

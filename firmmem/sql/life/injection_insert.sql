-- Note that something is put before an agent.
INSERT INTO injection (session, host, event, source, at, budget, gate, strength, tokens, lost, asked)
VALUES (:session, :host, :event, :source, :at, :budget, :gate, :strength, :tokens, :lost, :asked)

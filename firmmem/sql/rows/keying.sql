-- The half-lives that ranking keys are computed with, and where a change of them stands.
SELECT * FROM keying WHERE id = 1

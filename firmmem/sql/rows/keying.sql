-- The half-lives that ranking keys are computed with, and how far a change of them has come.
SELECT * FROM keying WHERE id = 1

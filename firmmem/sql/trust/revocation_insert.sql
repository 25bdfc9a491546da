-- Take back some votes; what the memory's trust was before and after all of them is filled in by the caller.
INSERT INTO revocation (vote, at, reason, trust_before, trust_after)
SELECT value, :now, :reason, :trust_before, :trust_after FROM json_each(:votes)

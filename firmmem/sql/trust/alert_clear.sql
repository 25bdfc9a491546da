-- Drop the alerts of earlier checks that this one did not find again.
DELETE FROM alert WHERE run <> :run

"""Trust: votes, revocation, the anomaly check and its quarantine, conflicts."""

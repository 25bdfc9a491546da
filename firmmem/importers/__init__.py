"""What other memories have kept: one module a source, each yields what it found for one common path in."""

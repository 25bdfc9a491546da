"""Recall: finding memories for a query, a goal or a session start."""

"""The life of a memory: reviews, tiers, forgetting, undo and history."""

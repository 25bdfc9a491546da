"""Writing: new memories, core facts, proposals, goals and the archive."""

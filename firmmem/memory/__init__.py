"""What can be done with memories: one verb a module."""

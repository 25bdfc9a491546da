"""Dates: moments that people write, and the date phrases of a query."""

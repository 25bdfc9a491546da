"""Text for readers: replies of the tools, explanations of scores, curves."""

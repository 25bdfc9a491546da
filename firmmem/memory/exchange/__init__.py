"""Export and import: one store in lines of text."""

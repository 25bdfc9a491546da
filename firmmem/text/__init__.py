"""Text: its normal form, its search words, and what is refused or marked."""

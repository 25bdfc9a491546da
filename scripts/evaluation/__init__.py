"""How well recall finds, measured through the real tool on data that nobody in the project wrote."""

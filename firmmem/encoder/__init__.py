"""The encoder: texts to vectors, offline, from a model in a folder."""

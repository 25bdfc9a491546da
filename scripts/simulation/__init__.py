"""A simulated year of a memory file: what happens, what is measured, and the picture of it."""

"""The hosts' configuration files: which there are, the change each needs, and how it is made and taken back."""

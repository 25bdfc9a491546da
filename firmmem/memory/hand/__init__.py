"""A person's hand: what a person does with any memory, recorded so that it can be taken back."""

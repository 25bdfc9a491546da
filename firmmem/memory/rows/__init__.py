"""Rows that all verbs share: shelves, ranking keys, the ledger of moves, chunks."""

"""The file: opening, migrating, statements, transactions, locks and backups."""

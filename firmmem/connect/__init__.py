"""Clients: what each needs in its configuration to find this server."""

"""The database behind the chain: its schema, what is kept of it, and what is counted in."""

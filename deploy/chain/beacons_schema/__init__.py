"""The database behind the chain: its schema, retention and roll-up."""

"""The lake: closed days of the chain's database as Delta Lake tables, for queries beyond one machine."""

"""Search: the query as a value, and Gmail's search syntax parsed into it."""

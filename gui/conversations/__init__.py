"""The conversation history: list, search, rename, pin, delete."""

"""The language model: what is said to it and what it answers, over any OpenAI-compatible server.

Importing this package imports nothing heavy; `assistant.model.server` loads openai when used.
"""

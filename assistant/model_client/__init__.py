"""The model client: prompts and completions over any OpenAI-compatible server.

Importing this package imports nothing heavy; `server_model` loads openai when it is used.
"""

"""The client of language models: completions, tool calls and streams of OpenAI-compatible servers.

Importing this package is cheap; `server_connection` loads openai when a model is first asked.
"""

"""The client of language models: completions, tool calls and streams of OpenAI-compatible servers.

Importing this package is cheap; `server_connection` loads the HTTP library on the first request.
"""

"""Messages: the email value every tool returns, and the parsing of raw messages into it."""

"""The assistant: planning, approval and execution of requests; nothing of it knows the window."""

__version__ = "0.1.0"

"""The bus: JSON-RPC 2.0 access to the assistant for other programs of the same user."""

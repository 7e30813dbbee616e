"""The bus: how other programs of the same user reach the assistant, in JSON-RPC 2.0."""

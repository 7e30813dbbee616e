"""Accounts: the secrets that the assistant signs in with."""

"""Accounts: the secrets and sign-ins that mail and calendars are reached with."""

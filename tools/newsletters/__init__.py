"""Newsletters: mail that a source sends to all who read it, found, listed and digested."""

"""Emails, written in a line each, and a writer at a loopback server."""

from tests.tools.summaries.conftest import make_email

__all__ = ["make_email"]

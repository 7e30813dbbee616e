"""A query: Gmail's search syntax, parsed once and compiled by each provider."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """A parsed search."""

"""Calendars: events, providers and the tools over them."""

"""Calendars: events, the calendar protocol, its providers and the tools over them."""

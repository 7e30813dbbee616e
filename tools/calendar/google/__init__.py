"""Google Calendar: provider, API calls and event resources."""

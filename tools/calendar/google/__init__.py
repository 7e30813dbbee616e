"""Google Calendar as one more calendar."""

"""The transcript: a scrolling conversation that lays out only its visible rows."""

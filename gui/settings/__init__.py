"""The settings window: one page a subject."""

"""The settings: a window with a page a subject."""

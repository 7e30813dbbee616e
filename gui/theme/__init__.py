"""Colours, style sheet, icons and the app icon."""

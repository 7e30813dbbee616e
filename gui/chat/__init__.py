"""The chat pane: the transcript, the composer, the approval card and safe rendering."""

"""Controllers: connect window, settings pages and IPC to a workspace."""

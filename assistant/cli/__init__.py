"""The command line: the same assistant without a window."""

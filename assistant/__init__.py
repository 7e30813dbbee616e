"""Plans, checks, asks, runs and remembers; and the command line."""

"""Start and end of the program: first paint, loading, main loop, single instance, shutdown."""

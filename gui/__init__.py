"""The window, the tray and the quick prompt: shows and asks, decides nothing."""

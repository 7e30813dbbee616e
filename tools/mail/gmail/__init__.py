"""Gmail: the mail of a Google account, read, organized and sent through Google's API."""

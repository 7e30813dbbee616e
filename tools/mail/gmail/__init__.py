"""Gmail: the mail of a Google account, read and put in order through Google's API."""

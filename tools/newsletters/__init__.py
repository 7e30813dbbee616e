"""Newsletters: finding them, listing them for other programs, and digests."""

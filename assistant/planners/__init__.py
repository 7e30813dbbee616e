"""Planners: from words to a plan."""

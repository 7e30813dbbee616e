"""Dates and times: the clock, zones, words to time and time to words."""

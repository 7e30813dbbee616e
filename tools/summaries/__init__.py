"""Summaries: what a set of emails says and asks, found without a model."""

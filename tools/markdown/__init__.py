"""Markdown: parsing to safe HTML, and escaping of untrusted text."""

"""Prompts, phrases, icons, style and the sample workspace, read through importlib.resources."""

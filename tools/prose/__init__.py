"""Prose: texts that a writer without tools makes of material, and what of them may be trusted."""

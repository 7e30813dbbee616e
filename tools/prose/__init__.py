"""Prose: text written by a language model from source material, with verified citations."""

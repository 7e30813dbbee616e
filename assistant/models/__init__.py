"""The language models of a profile: registry, connecting, rate card and spending."""

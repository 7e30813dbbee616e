"""Planners: turn a request into a plan, with phrase rules or with a language model."""

"""Choosing examples for in-context learning: structural types, linearised triples, selectors."""

"""Likelihoods of a question given each candidate: by a causal language model, or by a completions server."""

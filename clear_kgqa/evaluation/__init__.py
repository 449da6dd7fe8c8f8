"""Simulated users, batch evaluation, metrics and reports."""

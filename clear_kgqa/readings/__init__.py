"""Readings: complete interpretations of a question, their evidence and their posterior (CLEAR-KGQA, methods section 1)."""

"""Measures retrieval and discussions."""

"""Texts that models read."""

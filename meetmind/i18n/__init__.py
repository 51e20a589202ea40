"""Texts that people read, in English and Chinese."""

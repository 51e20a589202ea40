"""Spans of a run: what was done on the way, how long it took and how it ended."""

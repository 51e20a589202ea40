"""Settings and logging."""

"""What happens to a brief before the first turn."""

"""Who speaks and how a turn is made."""

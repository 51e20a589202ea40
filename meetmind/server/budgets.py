"""The budget of a run, as pages name it."""

from meetmind.database.runs import Budget

# Pages know the server's modules only, so this value passes through here.
__all__ = ["Budget"]

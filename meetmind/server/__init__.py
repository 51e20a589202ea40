"""Runs, approvals, accounts, library and the composition root."""

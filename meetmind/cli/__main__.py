"""Starts the command line: `python -m meetmind.cli`."""

from meetmind.cli.commands import app

app(prog_name="python -m meetmind.cli")

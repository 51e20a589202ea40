"""The terminal: UTF-8 in and out whatever the locale says, one way to print and one to ask."""

import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from meetmind.cli.wrapping import exact, wrapped
from meetmind.i18n.translate import Language, as_language

LOCALE_KEYS = ("LC_ALL", "LC_MESSAGES", "LANG")


def use_utf8() -> None:
    """Read and write UTF-8; bytes and characters that are none are replaced, never an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def terminal_language(environ: Mapping[str, str] = os.environ) -> Language:
    """The language of the terminal's locale."""
    for key in LOCALE_KEYS:
        if environ.get(key):
            return as_language(environ[key])
    return as_language(None)


class Terminal:
    """Prints plain and styled lines that fit the width, and reads lines."""

    def __init__(self, console: Console, lines: Iterator[str] | None = None) -> None:
        self.console = console
        self._lines = lines

    def say(self, text: str, style: str = "", indent: str = "") -> None:
        """Print a paragraph; nothing in it is taken for markup."""
        fitting = wrapped(text, self.console.width, indent)
        self.console.print(Text(fitting, style=style), soft_wrap=True)

    def show(self, text: str, indent: str = "") -> None:
        """Print a text to be judged: all of it, what it hides written out."""
        fitting = exact(text, self.console.width, indent)
        self.console.print(Text(fitting), soft_wrap=True)

    def forget_typed(self) -> None:
        """Drop what was typed before a question was asked: it was no answer to it."""
        if self._lines is not None or not sys.stdin.isatty() or os.name != "posix":
            return
        termios = importlib.import_module("termios")
        termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def ask(self, question: str) -> str | None:
        """The next line of the person, or None when there is nobody any more."""
        prompt = wrapped(question, self.console.width)
        self.console.print(Text(prompt, style="bold"), end=" ", soft_wrap=True)
        if self._lines is not None:
            return next(self._lines, None)
        try:
            return input()
        except EOFError:
            self.console.print()
            return None
        except UnicodeDecodeError:
            return ""


def open_terminal() -> Terminal:
    """The terminal of this process."""
    use_utf8()
    return Terminal(Console(highlight=False))


def open_error_terminal() -> Terminal:
    """The same on the error output, for commands whose output belongs to a program."""
    use_utf8()
    return Terminal(Console(highlight=False, stderr=True))

"""Reading and printing work whatever the terminal's locale is."""

import os
import subprocess
import sys

import pytest

from meetmind.cli.terminal import terminal_language
from meetmind.config.settings import PROJECT_ROOT

ECHO = """
from meetmind.cli.terminal import open_terminal
terminal = open_terminal()
line = terminal.ask("?")
while line is not None:
    terminal.say(line)
    line = terminal.ask("?")
"""


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_input_is_utf8_and_bad_bytes_are_replaced(locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "PYTHONPATH": str(PROJECT_ROOT)}
    environment.pop("PYTHONIOENCODING", None)

    process = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", ECHO],
        input="支付回调\n".encode() + b"bad \xff byte\n",
        capture_output=True,
        env=environment,
        check=True,
        timeout=60,
    )

    output = process.stdout.decode("utf-8")
    assert "支付回调" in output
    assert "bad \ufffd byte" in output


def test_the_locale_chooses_the_language() -> None:
    assert terminal_language({"LANG": "zh_CN.UTF-8"}) == "zh"
    assert terminal_language({"LC_ALL": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}) == "en"
    assert terminal_language({"LC_ALL": "", "LANG": "zh_TW"}) == "zh"
    assert terminal_language({}) == "en"

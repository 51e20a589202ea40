"""The server with its guard off: foreign texts are drawn as they are, to see what would leave.

Started as `python tests/support/unguarded_server.py` with the environment of `server.py`.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT_ROOT))

from meetmind.ui import safe_text  # noqa: E402 - the path comes first


def unguarded_markdown(
    text: str, *, citation_numbers: Mapping[str, int] | None = None, keep_lines: bool = False
) -> str:
    return text


def unguarded_label(text: str) -> str:
    return text


if __name__ == "__main__":
    # Every module that draws takes these names when it is imported, which comes after.
    safe_text.safe_markdown = unguarded_markdown
    safe_text.safe_label = unguarded_label
    from server import main

    sys.exit(main())

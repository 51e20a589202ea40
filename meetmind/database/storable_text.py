"""What PostgreSQL cannot store in a text: NUL and lone surrogates."""

import re

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable_text(text: str) -> str:
    """`text` without the characters that PostgreSQL refuses."""
    return UNSTORABLE.sub("", text)

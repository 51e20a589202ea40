"""Which names a file tool may touch: plain ones that keep no secret and hide nothing."""

import re
import unicodedata

from meetmind.errors import PathRefused

MAX_NAME_BYTES = 200
SECRET_NAMES = frozenset(
    {
        ".git",
        ".streamlit",
        ".ssh",
        ".aws",
        ".gnupg",
        ".netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        "secrets.toml",
    }
)
SECRET_BEGINNINGS = (".env", ".meetmind", "id_rsa", "id_ed25519", "credentials")
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx")
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Some file systems pass over these when they compare names.
PASSED_OVER = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0]"
    "|[\U000e0100-\U000e01ef]"
)
# Windows drops these at the end of a name.
DROPPED_AT_END = re.compile(r"(?:::\$data|[. :])+$")


def checked_name(name: str) -> str:
    """The name of a file or folder in Unicode's composed form (NFC).

    Raises `PathRefused` with what is wrong with it.
    """
    composed = unicodedata.normalize("NFC", name)
    if any(unicodedata.category(character) in INVISIBLE_CATEGORIES for character in composed):
        raise PathRefused(
            "The path holds control characters or invisible ones. Give a plain name.",
            reason="odd_characters",
        )
    if len(composed.encode()) > MAX_NAME_BYTES:
        raise PathRefused(
            f"A name in the path is longer than {MAX_NAME_BYTES} bytes. Give a shorter one.",
            reason="name_too_long",
        )
    bare = _bare(composed)
    if not bare:
        raise PathRefused(
            f"The path part {name!r} is not allowed. Stay inside the workspace.",
            reason="outside",
        )
    if _is_secret(bare):
        raise PathRefused(
            f"{composed!r} may hold secrets, so no tool touches it. Go on without it.",
            reason="hidden_name",
        )
    if composed != composed.strip(" ") or composed.endswith("."):
        raise PathRefused(
            f"The name {composed!r} begins or ends with a space or ends with a dot. "
            "Give a plain name.",
            reason="odd_characters",
        )
    return composed


def is_hidden(name: str) -> bool:
    """Whether a name that was found in a folder is kept from the tools."""
    if any(sign in name for sign in "\\:") or name.startswith("~"):
        return True
    try:
        checked_name(name)
    except PathRefused:
        return True
    return False


def _bare(name: str) -> str:
    """The name as the most forgiving file system would compare it."""
    visible = PASSED_OVER.sub("", name)
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return DROPPED_AT_END.sub("", folded).strip()


def _is_secret(bare: str) -> bool:
    if bare in SECRET_NAMES:
        return True
    return bare.startswith(SECRET_BEGINNINGS) or bare.endswith(SECRET_ENDINGS)

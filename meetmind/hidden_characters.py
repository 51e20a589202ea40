"""Makes visible what a text hides: characters without a shape, and letters that pass for others.

A card that asks for a decision shows a text through `visible_text` and warns where `count_hidden`
or `mixed_scripts` find something.
"""

import re
import unicodedata

_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")
_LINE_END = re.compile(r"\r(?=\n)")
_OPENS = "\u27e8"
_ZERO_WIDTH_JOINER = "\u200d"
_EMOJI_SELECTOR = "\ufe0f"
_KEYCAP = "\u20e3"
_WIDE_SPACE = "\u3000"
_HIDDEN_CATEGORIES = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")
# Letters, marks and signs that are drawn as nothing although their category says otherwise.
_DRAWN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)
_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"\S+")
_LOOKS_LIKE_PLACE = re.compile(r"[/\\@:\uff0f\uff3c\uff20\u2044\u2215]|[^\W_][.\uff0e\u2024][^\W_]")
_PASSES_FOR_ASCII = re.compile(
    "[\uff0e\uff0f\uff10-\uff19\uff20-\uff3a\uff3c\uff41-\uff5a\u2024\u2044\u2215\u29f8]"
)
# Greek letters with the shape of a Latin one; `Δt`, `kΩ` and `μs` are honest.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορτυχϲϳ")
_FOREIGN_SCRIPTS = ("CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "MATHEMATICAL", "LISU")


def visible_text(text: str) -> str:
    """The text with every hidden character written out, as `⟨U+202E⟩`.

    Line ends and what people can see stay as they are. Where the text itself writes such a mark,
    its bracket is written out too, so that nothing can pass for a hidden character.
    """
    if _PLAIN.fullmatch(text):
        return text
    parts: list[str] = []
    for place, letter in enumerate(text):
        poses = letter == _OPENS and text.startswith("U+", place + 1)
        parts.append(_written_out(letter) if poses or _is_hidden(text, place) else letter)
    return "".join(parts)


def count_hidden(text: str) -> int:
    """How many characters of the text `visible_text` makes visible."""
    if _PLAIN.fullmatch(text):
        return 0
    return sum(1 for place in range(len(text)) if _is_hidden(text, place))


def mixed_scripts(text: str) -> list[str]:
    """The words in which letters pass for others, each once, in the order of the text.

    These are words with Latin letters and look-alikes of another script, and paths and addresses
    with full-width letters, digits or slashes. Han letters beside Latin ones are plain Chinese.
    """
    if text.isascii():
        return []
    found: dict[str, None] = {}
    for piece in _PIECE.findall(text):
        if piece.isascii():
            continue
        if _LOOKS_LIKE_PLACE.search(piece) and _PASSES_FOR_ASCII.search(piece):
            found[piece] = None
            continue
        for word in _WORD.findall(piece):
            if _is_mixed(word):
                found[word] = None
    return list(found)


def _written_out(letter: str) -> str:
    return f"{_OPENS}U+{ord(letter):04X}\u27e9"


def _is_hidden(text: str, place: int) -> bool:
    letter = text[place]
    if letter in "\n\t " or _LINE_END.match(text, place):
        return False
    if letter == _WIDE_SPACE:
        return not _is_chinese_spacing(text, place)
    if letter in (_EMOJI_SELECTOR, _ZERO_WIDTH_JOINER) and _belongs_to_emoji(text, place):
        return False
    if _DRAWN_AS_NOTHING.match(letter):
        return True
    return unicodedata.category(letter) in _HIDDEN_CATEGORIES


def _is_chinese_spacing(text: str, place: int) -> bool:
    """Whether a wide space indents a line or stands beside a wide letter, as in Chinese texts."""
    before = text[place - 1 : place]
    after = text[place + 1 : place + 2]
    if before in ("", "\n"):
        return True
    return any(sign and unicodedata.east_asian_width(sign) in "WF" for sign in (before, after))


def _belongs_to_emoji(text: str, place: int) -> bool:
    """Whether a selector or a joiner does its work in an emoji, as in a heart in colour."""
    before = text[place - 1 : place]
    after = text[place + 1 : place + 2]
    if text[place] == _EMOJI_SELECTOR:
        return _is_symbol(before) or after == _KEYCAP
    is_after_emoji = _is_symbol(before) or before == _EMOJI_SELECTOR
    return is_after_emoji and _is_symbol(after)


def _is_symbol(letter: str) -> bool:
    """Whether it is a picture, or the colour of a skin."""
    return letter != "" and not letter.isascii() and unicodedata.category(letter) in ("So", "Sk")


def _is_mixed(word: str) -> bool:
    scripts = {_script(letter) for letter in word}
    return "LATIN" in scripts and "FOREIGN" in scripts


def _script(letter: str) -> str:
    if letter.isascii():
        return "LATIN" if letter.isalpha() else ""
    if letter in _GREEK_LOOKALIKES:
        return "FOREIGN"
    name = unicodedata.name(letter, "")
    if name.startswith(_FOREIGN_SCRIPTS):
        return "FOREIGN"
    return "LATIN" if name.startswith("LATIN") else ""

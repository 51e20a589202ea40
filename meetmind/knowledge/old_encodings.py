"""Text of the time before Unicode: told apart by the signs that real texts are made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from meetmind.knowledge.frequent_signs import (
    FREQUENT_KOREAN,
    FREQUENT_SIMPLIFIED,
    FREQUENT_TRADITIONAL,
    LETTERS_AND_WORDS,
)

FEWEST_COMMON_CHARACTERS = 0.9
FEWEST_FREQUENT_CHARACTERS = 0.25
"""Of the Han characters of a real text more than a third are among its 400 most frequent ones."""
CLEARLY_MORE = 1.2
SAMPLE_BYTES = 64_000
MOST_FOREIGN_IN_LATIN = 0.2
TYPOGRAPHIC_SIGNS = frozenset("‘’“”„«»–—…€£§©®°·•²³½¼¿¡ªº™\u00a0\u00ad")
SIGN_WITHIN_WORD = re.compile(r"[^\W\d_][‘“”„«»…€£§©®·•½¼¿¡™][^\W\d_]")
CAPITAL_WITHIN_WORD = re.compile("[a-zß-öø-ÿ][À-ÖØ-Þ]")
TILDE_BEFORE_CONSONANT = re.compile("[ãõÃÕ](?![oeOEsS])")
"""Romanian and Hungarian letters of Latin-2 would look so; Portuguese has `ão`, `ãe`, `õe`."""
LATIN_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the bytes would say in one encoding, and how much like a real text that is, 0 to 1."""

    encoding: str
    likeness: float
    is_read: bool = True
    """False for an encoding that is only looked at because its texts must not be mistaken."""


def recognised_encoding(raw: bytes) -> str | None:
    """The encoding of bytes that are no Unicode, or None where it is not certain."""
    sample = raw[:SAMPLE_BYTES]
    readings = sorted(_readings(sample), key=lambda reading: -reading.likeness)
    if not readings or readings[0].likeness < FEWEST_FREQUENT_CHARACTERS:
        return "cp1252" if is_western(sample) else None
    best = readings[0]
    for rival in readings[1:]:
        if rival.likeness * CLEARLY_MORE > best.likeness:
            return None
    return best.encoding if best.is_read else None


def common_share(text: str) -> float:
    """The share of characters that ordinary English and Chinese texts are made of."""
    if not text:
        return 1.0
    common_count = sum(1 for character in text if _is_common(character))
    return common_count / len(text)


def _readings(sample: bytes) -> Iterator[Reading]:
    """Every reading that is possible at all."""
    gb18030 = _foreign_part(sample, "gb18030")
    if common_share(gb18030) >= FEWEST_COMMON_CHARACTERS:
        yield Reading(encoding="gb18030", likeness=_share_of(FREQUENT_SIMPLIFIED, gb18030))
    else:
        yield Reading(encoding="gb18030", likeness=_traditional_likeness(gb18030))
    big5 = _foreign_part(sample, "cp950")
    if big5 and _level_one_share(big5) >= FEWEST_COMMON_CHARACTERS:
        yield Reading(encoding="cp950", likeness=_share_of(FREQUENT_TRADITIONAL, big5))
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _foreign_part(sample[: len(sample) // 2 * 2], encoding)
        if text and common_share(text) >= FEWEST_COMMON_CHARACTERS:
            yield Reading(encoding=encoding, likeness=_share_of(FREQUENT_SIMPLIFIED, text))
    korean = _foreign_part(sample, "cp949")
    yield Reading(
        encoding="cp949", likeness=_share_of(FREQUENT_KOREAN, korean) * 0.8, is_read=False
    )
    for encoding in ("euc_jp", "cp932"):
        japanese = _foreign_part(sample, encoding)
        kana = re.findall("[\u3041-\u3096\u30a1-\u30fa]", japanese)
        share = len(kana) / len(japanese) if japanese else 0.0
        yield Reading(encoding=encoding, likeness=share, is_read=False)


def _foreign_part(sample: bytes, encoding: str) -> str:
    """The characters beyond ASCII; empty where the bytes cannot be of this encoding."""
    text = ""
    # A sample may end within a character.
    for end in range(len(sample), max(len(sample) - 4, 0), -1):
        try:
            text = sample[:end].decode(encoding)
            break
        except UnicodeDecodeError:
            if len(sample) < SAMPLE_BYTES:
                return ""
    return "".join(character for character in text if ord(character) >= 0x80)


def _share_of(frequent: frozenset[str], text: str) -> float:
    """How many of the letters are frequent ones; marks and symbols do not count."""
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return 0.0
    return sum(1 for letter in letters if letter in frequent) / len(letters)


def _traditional_likeness(text: str) -> float:
    """For traditional characters in GBK: all must be in Big5 too, nearly all in its level one."""
    if not text or _level_one_share(text) < FEWEST_COMMON_CHARACTERS:
        return 0.0
    return _share_of(FREQUENT_TRADITIONAL, text)


def _is_common(character: str) -> bool:
    """Whether it is printable ASCII, or a symbol or first-level character of GB 2312."""
    if character.isascii():
        return character.isprintable() or character in "\n\r\t"
    try:
        lead = character.encode("gb2312")[0]
    except UnicodeEncodeError:
        return character in TYPOGRAPHIC_SIGNS
    return lead in (0xA1, 0xA3) or 0xB0 <= lead <= 0xD7


def _level_one_share(text: str) -> float:
    """The share of symbols and first-level characters of Big5."""
    common_count = 0
    for character in text:
        try:
            lead = character.encode("cp950")[0]
        except UnicodeEncodeError:
            continue
        if lead <= 0xC6:
            common_count += 1
    return common_count / len(text)


def is_western(sample: bytes) -> bool:
    """Whether it is certainly text of one Western European language in Windows-1252 or Latin-1."""
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    foreign = {character for character in text if ord(character) >= 0x80} - TYPOGRAPHIC_SIGNS
    foreign_count = sum(1 for character in text if ord(character) >= 0x80)
    if foreign_count > MOST_FOREIGN_IN_LATIN * len(text):
        return False
    for impossible in (SIGN_WITHIN_WORD, CAPITAL_WITHIN_WORD, TILDE_BEFORE_CONSONANT):
        if impossible.search(text):
            return False
    words = {word.lower() for word in LATIN_WORD.findall(text)}
    for letters, frequent_words in LETTERS_AND_WORDS.values():
        if foreign <= set(letters) and len(words.intersection(frequent_words.split())) >= 2:
            return True
    return False

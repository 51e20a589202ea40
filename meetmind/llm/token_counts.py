"""How many tokens a text has: by the model's tokenizer where there is one, else an estimate."""

import logging
import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZERS_FOLDER = "tokenizers"
TOKENIZER_FILE = "tokenizer.json"
LONGEST_PIECE = 20_000
"""Characters that a tokenizer is given at once; some take quadratic time on endless words."""

LONGEST_OF_MANY = 4_000
"""Characters: the counts of many short texts are remembered, those of a few long ones."""

TOKENS_A_MESSAGE = 12
"""What the marks around a message cost: its opening, its speaker and its closing."""

# Fitted on the seed documents of both languages with the tokenizers of XLM-R (0.65 tokens a Han
# character, 0.58 a word + 0.10 a letter) and BERT (0.96, 0.59 + 0.09), rounded up to the dearer
# one: a talk that is counted too high is summarised a little early, one that is counted too low
# is refused by the model's server.
TOKENS_A_HAN = 1.0
TOKENS_A_WORD = 0.6
TOKENS_A_LETTER = 0.105
TOKENS_A_DIGIT = 0.8
TOKENS_A_MARK = 1.2
TOKENS_A_LINE = 1.0
TOKENS_OF_OTHER_SCRIPTS = 0.8
"""A letter of any other script."""
TOKENS_OF_OTHER_SIGNS = 2.0
"""An emoji and the like: spelled out in bytes."""

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")
_DIGIT = re.compile(r"[0-9]")
_MARK = re.compile("[!-/:-@\\[-`{-~\u2010-\u2027\u3000-\u303f\uff01-\uff0f\uff1a-\uff20·×÷–—]")
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s")

logger = logging.getLogger(__name__)
_loading = threading.Lock()


def count_tokens(text: str, model_name: str, model_folder: Path | None = None) -> int:
    """The tokens of `text` for a model.

    With `<model_folder>/tokenizers/<name, / as -->/tokenizer.json` it is the model's own count,
    else an estimate that is seldom too low. The first call for a model may read megabytes: not for
    an event loop.
    """
    if len(text) <= LONGEST_OF_MANY:
        return _count_of_short(text, model_name, model_folder)
    return _count_of_long(text, model_name, model_folder)


@lru_cache(maxsize=2048)
def _count_of_short(text: str, model_name: str, model_folder: Path | None) -> int:
    """The same passages and messages are counted again in every turn."""
    return _count(text, model_name, model_folder)


@lru_cache(maxsize=16)
def _count_of_long(text: str, model_name: str, model_folder: Path | None) -> int:
    """The prompt of a turn is counted again in every round of its tool loop."""
    return _count(text, model_name, model_folder)


def _count(text: str, model_name: str, model_folder: Path | None) -> int:
    tokenizer = None
    if model_folder is not None and model_name:
        with _loading:
            tokenizer = _tokenizer_of(model_name, model_folder)
    if tokenizer is None:
        return estimate_tokens(text)
    count = 0
    for start in range(0, len(text), LONGEST_PIECE):
        piece = text[start : start + LONGEST_PIECE]
        count += len(tokenizer.encode(piece, add_special_tokens=False).ids)
    return count


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has for a model of unknown vocabulary, in any script."""
    han = len(_HAN.findall(text))
    words = _LATIN_WORD.findall(text)
    letters = sum(len(word) for word in words)
    digits = len(_DIGIT.findall(text))
    marks = len(_MARK.findall(text))
    spaces = len(_SPACE.findall(text))
    rest = len(text) - han - letters - digits - marks - spaces
    other_letters = _other_letters(text) if rest > 0 else 0
    tokens = (
        TOKENS_A_HAN * han
        + TOKENS_A_WORD * len(words)
        + TOKENS_A_LETTER * letters
        + TOKENS_A_DIGIT * digits
        + TOKENS_A_MARK * marks
        + TOKENS_A_LINE * len(_LINE_END.findall(text))
        + TOKENS_OF_OTHER_SCRIPTS * other_letters
        + TOKENS_OF_OTHER_SIGNS * max(0, rest - other_letters)
    )
    return round(tokens + 0.5) if text else 0


def tokenizer_file(model_name: str, model_folder: Path) -> Path:
    """Where the tokenizer of a chat model is looked for."""
    name = model_name.replace("/", "--")
    return model_folder / TOKENIZERS_FOLDER / name / TOKENIZER_FILE


@lru_cache(maxsize=8)
def _tokenizer_of(model_name: str, model_folder: Path) -> "Tokenizer | None":
    """The model's tokenizer, or None; what cannot be read is told once."""
    path = tokenizer_file(model_name, model_folder)
    if ".." in model_name or not path.is_file():
        return None
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more precise
        logger.warning("The tokenizer %s cannot be read: %s", path, error)
        return None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _other_letters(text: str) -> int:
    """Letters and digits that are neither Han nor Latin nor 0 to 9."""
    count = 0
    for character in text:
        is_known = character.isascii() or "\u00c0" <= character <= "\u024f"
        if not is_known and character.isalnum() and not _HAN.match(character):
            count += 1
    return count

"""How many tokens a text has at most, told without a model.

The bound is for the Unigram vocabulary of XLM-RoBERTa, which multilingual-e5-small uses. Measured
on it: ordinary Chinese reaches 0.78 tokens a character, shuffled Chinese 0.99, English prose 0.25 a
letter, random small letters 0.55, base64 0.76.
"""

import math
import re
import unicodedata
from functools import lru_cache

from meetmind.knowledge.stop_words import STOP_WORDS

WORD = re.compile("[A-Za-z]+")
DIGITS = re.compile("[0-9]+")
DIGITS_IN_A_WORD = re.compile(r"(?<=\S)(?<![0-9])[0-9]")
SIGNS = re.compile(r"[^A-Za-z0-9\s]+")
SIGN_THAT_BEGINS_A_WORD = re.compile(r"(?<!\S)[^A-Za-z0-9\s]")
PLAIN_WORD = re.compile("[A-Z]?[a-z]+")
RARE_LETTER = re.compile("[jkqvwxz]")
MOST_RARE_LETTERS = 0.34
FEWEST_STOP_WORDS = 0.08
"""English prose has over 30 stop words in 100, its tables and lists over 10."""
LONGEST_WORD = 40
LETTERS_A_TOKEN_IN_PROSE = 3.0
LETTERS_A_TOKEN = 1.7
DIGITS_A_TOKEN = 2


def most_tokens(text: str) -> int:
    """A number of tokens that the text does not exceed.

    One a sign, except for Latin letters and digits, where several make a token for certain.
    """
    # One sign may stand for many: U+FDFA becomes 18 letters.
    normal = unicodedata.normalize("NFKC", text)
    words = WORD.findall(normal)
    letters_a_token = _letters_a_token(words)
    tokens = 1
    for word in words:
        if len(word) > LONGEST_WORD:
            tokens += len(word)
        else:
            tokens += _tokens_of_word(word, letters_a_token)
    for digits in DIGITS.findall(normal):
        tokens += -(-len(digits) // DIGITS_A_TOKEN)
    tokens += len(DIGITS_IN_A_WORD.findall(normal))
    tokens += sum(len(signs) for signs in SIGNS.findall(normal))
    # The mark of a new word is a token of its own before anything but Latin letters and digits.
    tokens += len(SIGN_THAT_BEGINS_A_WORD.findall(normal))
    return tokens


def is_within(text: str, token_bound: int) -> bool:
    """Whether the text has no more tokens than the bound; short texts are not even counted."""
    # A sign and the mark of a new word before it are the most that one character can be.
    if 2 * len(text) < token_bound and unicodedata.is_normalized("NFKC", text):
        return True
    return most_tokens(text) <= token_bound


def _letters_a_token(words: list[str]) -> float:
    """How many letters of a plain word make a token at least; more where the text is prose."""
    stop_count = sum(1 for word in words if word.lower() in STOP_WORDS)
    is_prose = stop_count >= FEWEST_STOP_WORDS * len(words)
    return LETTERS_A_TOKEN_IN_PROSE if is_prose else LETTERS_A_TOKEN


@lru_cache(maxsize=20_000)
def _tokens_of_word(word: str, letters_a_token: float) -> int:
    rare_count = len(RARE_LETTER.findall(word))
    is_plain = PLAIN_WORD.fullmatch(word) is not None
    if not is_plain or rare_count > MOST_RARE_LETTERS * len(word):
        return len(word)
    return math.ceil(len(word) / letters_a_token)

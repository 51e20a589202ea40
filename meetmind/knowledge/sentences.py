"""Where sentences end, in Chinese and in English."""

import re

SENTENCE_END = re.compile(
    r"(?<=[。！？；…])[”’」』）)】]*"
    r"|(?<=[.!?])[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9\u3400-\u9fff])"
    r"|\n+"
)
ABBREVIATION = re.compile(
    r"(?:^|\W)(?:e\.g|i\.e|etc|vs|no|nr|fig|approx|mr|ms|dr|st|inc|[a-z])\.$", re.I
)
LONGEST_ABBREVIATION = 20


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in Chinese or English; a line end always ends one."""
    sentences: list[str] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        # Only the end is looked at: a text full of abbreviations would be searched over and over.
        ending = text[max(start, match.end() - LONGEST_ABBREVIATION) : match.end()]
        if ABBREVIATION.search(ending.strip()):
            continue
        sentence = text[start : match.end()].strip()
        if sentence:
            sentences.append(sentence)
        start = match.end()
    rest = text[start:].strip()
    if rest:
        sentences.append(rest)
    return sentences

"""Cuts passages into sentences that can be quoted word for word, and sentences into clauses."""

import re
from functools import lru_cache

_MARKUP_LINE = re.compile(r"^\s*(#{1,6}\s|\||```|[-=*_]{3,}\s*$)")
_LIST_MARK = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、]|[（(]\d{1,2}[)）])\s*")
_LINE_IS_FINISHED = re.compile(r"[。！？；;.!?:：”」）)]\s*$")
_SENTENCE_END = re.compile(
    r"""(?<=[。！？])[”」』）]*|(?<=[.!?])["”’)\]]*(?=\s+["“'(\[`]?[A-Z0-9\u3400-\u9fff])"""
)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|approx|vs|dr|mrs|incl|fig|cf)\.$", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[。！？；;!?])|(?<=\.)(?=\s|$)|\n+")
"""Where the sentences of a brief end; semicolons count, since people write lists with them."""
_CLAUSE_END = re.compile(r"(?<=[，；;：。])|(?<=[,:])(?=\s)|\s[–—-]\s|(?<=[.!?])(?=\s)")
SHORTEST_CHINESE = 8
SHORTEST_ENGLISH = 24
_CACHED_PASSAGES = 1024


@lru_cache(maxsize=_CACHED_PASSAGES)
def sentences_of(passage: str) -> tuple[str, ...]:
    """The quotable sentences of a passage in order: no headings, table rows, code or stumps."""
    sentences = []
    for block in _blocks(passage):
        for sentence in split_sentences(block):
            if is_quotable(sentence):
                sentences.append(sentence)
    return tuple(sentences)


def split_sentences(block: str) -> list[str]:
    """The sentences of running text; a full stop after an abbreviation ends nothing."""
    sentences: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(block):
        candidate = block[start : end.end()].strip()
        if candidate and not _ABBREVIATION.search(candidate):
            sentences.append(candidate)
            start = end.end()
    last = block[start:].strip()
    if last:
        sentences.append(last)
    return sentences


def opening_of(sentence: str, longest_chinese: int = 45, longest_english: int = 110) -> str:
    """The first clauses of a long sentence, word for word; all of it where none ends early."""
    is_han = any("\u3400" <= character <= "\u9fff" for character in sentence)
    longest = longest_chinese if is_han else longest_english
    if len(sentence) <= longest:
        return sentence
    end = 0
    for clause_end in _CLAUSE_END.finditer(sentence):
        if clause_end.start() > longest:
            break
        end = clause_end.start()
    opening = sentence[:end].rstrip(" ，,；;：:")
    return opening if is_quotable(opening) else sentence


def clauses_of(sentence: str) -> list[str]:
    """The clauses of a sentence, without their closing marks."""
    clauses = [clause.strip(" ，,；;：:。.!?！？–—") for clause in _CLAUSE_END.split(sentence)]
    return [clause for clause in clauses if clause]


def is_quotable(sentence: str) -> bool:
    """Whether a sentence is long enough, and finished, to be worth quoting."""
    han_characters = sum(1 for character in sentence if "\u3400" <= character <= "\u9fff")
    long_enough = han_characters >= SHORTEST_CHINESE or len(sentence) >= SHORTEST_ENGLISH
    is_introduction = sentence.endswith((":", "："))
    return long_enough and not is_introduction and "|" not in sentence


def _blocks(passage: str) -> list[str]:
    """Lines joined to paragraphs: a line that ends in mid-sentence goes on in the next one."""
    blocks: list[str] = []
    open_block = ""
    in_code = False
    for line in passage.splitlines():
        in_code = in_code != line.strip().startswith("```")
        ends_a_block = not line.strip() or _MARKUP_LINE.match(line) or in_code
        starts_a_block = _LIST_MARK.match(line) is not None
        if ends_a_block or starts_a_block or _LINE_IS_FINISHED.search(open_block):
            blocks.append(open_block)
            open_block = ""
        if not ends_a_block:
            text = _LIST_MARK.sub("", line).strip()
            open_block = _joined(open_block, text)
    blocks.append(open_block)
    return [block for block in blocks if block]


def _joined(before: str, after: str) -> str:
    if not before or before[-1] >= "\u2e80" or after[:1] >= "\u2e80":
        return before + after
    return f"{before} {after}"

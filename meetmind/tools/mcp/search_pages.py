"""The web pages in the answer of a web search, in whichever of the usual shapes it comes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

URL_KEYS = ("url", "link", "href", "source_url")
TITLE_KEYS = ("title", "name", "web_anchor")
CONTENT_KEYS = ("content", "snippet", "summary", "abstract", "description", "text")
LONGEST_URL = 2_000
LONGEST_TITLE = 200
MOST_VALUES = 2_000
_URL = re.compile(r"https?://[^\s<>\"'`)\]}（）《》，。；、]+")
_LABELLED_TITLE = re.compile(r"^\W*(?:title|标题)\W*[:：]\s*(.+)$", re.I | re.M)
_MARKED_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(https?://[^\s)]+\)")
_BLOCK_START = re.compile(r"\n\s*\n|\n(?=\W*(?:title|标题)\W*[:：])", re.I)


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """One page that a search names; `content` is what the search says of it."""

    url: str
    title: str
    content: str


def found_pages(texts: Iterable[str]) -> list[FoundPage]:
    """Every page with an address, each once, in the order of the answer."""
    page_by_url: dict[str, FoundPage] = {}
    for text in texts:
        for page in _pages_of(text):
            page_by_url.setdefault(page.url, page)
    return list(page_by_url.values())


def _pages_of(text: str) -> Iterator[FoundPage]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict | list):
        yield from _pages_of_value(value)
        return
    for block in _BLOCK_START.split(text):
        page = _page_of_block(block)
        if page is not None:
            yield page


def _pages_of_value(value: Any) -> Iterator[FoundPage]:
    """The pages in a JSON value, found by walking it breadth first."""
    waiting = [value]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        entry = waiting.pop(0)
        if isinstance(entry, dict):
            url = _usable_url(_first_text(entry, URL_KEYS))
            if url:
                title = _first_text(entry, TITLE_KEYS)[:LONGEST_TITLE]
                yield FoundPage(url=url, title=title, content=_first_text(entry, CONTENT_KEYS))
            waiting.extend(entry.values())
        elif isinstance(entry, list):
            waiting.extend(entry)


def _first_text(entry: Mapping[str, Any], keys: Iterable[str]) -> str:
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _page_of_block(block: str) -> FoundPage | None:
    found = _URL.search(block)
    if found is None:
        return None
    url = _usable_url(found[0].rstrip(".,;:!?"))
    if not url:
        return None
    titled = _LABELLED_TITLE.search(block) or _MARKED_LINK.search(block)
    title = block.strip().partition("\n")[0] if titled is None else titled[1]
    return FoundPage(url=url, title=title.strip()[:LONGEST_TITLE], content=block.strip())


def _usable_url(url: str) -> str:
    """The address if it is one of a web page, else nothing."""
    if not url or len(url) > LONGEST_URL or "\n" in url:
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        return ""
    return url

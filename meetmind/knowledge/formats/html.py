"""HTML files: what a reader would see, turned into Markdown and read as that."""

import codecs
import re
from html.parser import HTMLParser
from typing import Any

from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.documents import Section
from meetmind.knowledge.encodings import BYTE_ORDER_MARKS, clean_line, decode_text
from meetmind.knowledge.formats.lines import LONGEST_TITLE
from meetmind.knowledge.formats.markdown import markdown_sections
from meetmind.knowledge.old_encodings import is_western, recognised_encoding

DEEPEST_NESTING = 200
MOST_TAGS = 500_000
DECLARED_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
# As browsers do: the narrow names mean the wider encodings.
WIDER_ENCODING = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950", "latin-1": "cp1252"}
WIDER_ENCODING |= {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
CHARSET_BYTES = 4_096
NOT_SHOWN = (
    "script", "style", "noscript", "nav", "template", "svg", "math", "iframe", "object", "embed",
    "head", "button", "select", "input", "textarea", "canvas", "audio", "video",
)  # fmt: skip
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
VOID_TAGS = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
CLOSED_BY_THE_NEXT = frozenset(
    "p li dt dd tr td th thead tbody tfoot option colgroup".split()  # noqa: SIM905
)
WEIGHT_OF_TAG = {"table": 4, "ul": 2, "ol": 2, "dl": 2}
"""With the rows, cells and items within, which need not be closed and so are not counted."""
LONG_BLANKS = re.compile(r"\s{200,}")
"""markdownify looks through a run of blanks again from each of its places."""
EMPTY_LINES = re.compile(r"\n{3,}")


def read_html(raw: bytes) -> tuple[str, list[Section]]:
    """The title and the sections; scripts, styles, menus and hidden parts are left out.

    Raises `DocumentUnreadable` for an unknown encoding and for nesting that no real page has.
    """
    text = LONG_BLANKS.sub("\n", _decoded(raw))
    _check_nesting(text)
    from bs4 import BeautifulSoup  # late: with lxml it takes 0.1 s, not needed on every start
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(text, "lxml")
    page_title = ""
    if soup.title is not None:
        page_title = clean_line(soup.title.get_text(" "), LONGEST_TITLE)
    _remove_what_is_not_shown(soup)
    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["a", "img", "b", "strong", "i", "em"],
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    try:
        converted = converter.convert_soup(soup)
    except RecursionError:
        raise unreadable("nested_too_deeply", limit=DEEPEST_NESTING) from None
    # What stands for a character reference to no character.
    markdown = EMPTY_LINES.sub("\n\n", converted.replace("\ufffd", ""))
    title, sections = markdown_sections(markdown.strip())
    return title or page_title, sections


def _decoded(raw: bytes) -> str:
    """UTF-8 is believed first; what the page says of itself is believed unless the signs speak
    against it, for both are often wrong once a page was saved again.
    """
    if any(raw.startswith(mark) for mark, _ in BYTE_ORDER_MARKS):
        return decode_text(raw)
    declared = _declared_encoding(raw)
    if declared is None or _is_utf8(raw):
        return decode_text(raw)
    recognised = recognised_encoding(raw)
    is_doubtful = declared == "cp1252" and not is_western(raw)
    if recognised is not None or is_doubtful:
        return decode_text(raw)
    try:
        text = raw.decode(declared)
    except (UnicodeDecodeError, LookupError):
        return decode_text(raw)
    return decode_text(text.encode("utf-8"))


def _declared_encoding(raw: bytes) -> str | None:
    match = DECLARED_CHARSET.search(raw[:CHARSET_BYTES])
    if match is None:
        return None
    name = (match[1] or match[2]).decode("ascii", "ignore").lower()
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        return None
    if encoding.startswith(("utf-16", "utf-32", "utf-7")):
        return None
    return WIDER_ENCODING.get(encoding, encoding)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _remove_what_is_not_shown(soup: Any) -> None:
    from bs4.element import PreformattedString

    for comment in soup.find_all(string=lambda text: isinstance(text, PreformattedString)):
        comment.extract()
    for picture in soup.find_all("img"):
        picture.replace_with(clean_line(str(picture.get("alt") or "")))
    for tag in soup.find_all(NOT_SHOWN):
        tag.extract()
    for tag in soup.find_all(_is_hidden):
        tag.extract()


def _is_hidden(tag: Any) -> bool:
    is_marked = tag.has_attr("hidden") or tag.get("aria-hidden") == "true"
    return is_marked or bool(HIDDEN_STYLE.search(str(tag.get("style") or "")))


def _check_nesting(text: str) -> None:
    counter = _NestingCounter(convert_charrefs=True)
    counter.feed(text)


class _NestingCounter(HTMLParser):
    """Follows how deep the open tags stand in each other; needs no tree and no recursion."""

    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self._depth = 0
        self._tag_count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag is opened."""
        self._tag_count += 1
        if self._tag_count > MOST_TAGS:
            raise unreadable("many_tags", limit=MOST_TAGS)
        if tag in VOID_TAGS or tag in CLOSED_BY_THE_NEXT:
            return
        self._depth += WEIGHT_OF_TAG.get(tag, 1)
        if self._depth > DEEPEST_NESTING:
            raise unreadable("nested_too_deeply", limit=DEEPEST_NESTING)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<br/>` opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        """A tag is closed."""
        if tag not in VOID_TAGS and tag not in CLOSED_BY_THE_NEXT:
            self._depth = max(0, self._depth - WEIGHT_OF_TAG.get(tag, 1))

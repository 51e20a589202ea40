"""Whether a text gives a web address: only what somebody gave may be fetched.

Only an address that was given exactly so is known: a model that appends a query, and with it what
it read, asks for an address that nobody gave. Texts that a role wrote itself must not be searched
here, nor what a tool merely repeats of its arguments.
"""

import html
import re
from collections.abc import Iterator

from meetmind.errors import AddressRefused
from meetmind.tools.web.web_address import ESCAPE, LONGEST_ADDRESS, parsed_address

# Chinese punctuation and the signs that Markdown, HTML and JSON put round an address end it; a
# full-width comma is no part of one.
ENDS = r"\s<>\"`|\\^{}\x00-\x1f\x7f" + "，。；：！？、（）【】《》〈〉「」『』“”‘’…—～·\u3000\ufeff"
WRITTEN_ADDRESS = re.compile(
    rf"(?<![A-Za-z0-9])https?://(?:(?![,;]https?://)[^{ENDS}])+", re.IGNORECASE
)
WITHOUT_SCHEME = re.compile(rf"(?<![A-Za-z0-9@./_=-])www\.[^{ENDS}/.][^{ENDS}]*", re.IGNORECASE)
PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")
"""In the path and the query: written in one way only, unless something is percent-encoded."""
PUNYCODE = "xn--"
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
LONGEST_WRITTEN = 2 * LONGEST_ADDRESS
BRACKETS = {")": "(", "]": "["}
TRAILING_SIGNS = frozenset(".,;:!?'*)]")


def normal_address(url: str) -> str:
    """One spelling for all spellings of the same address; empty for what is no address.

    Scheme and host are lower-case, the host in ASCII (IDNA) without a trailing dot, the default
    port and the fragment are dropped, and percent-encoding is uniform.
    """
    try:
        return parsed_address(url).url
    except AddressRefused:
        return ""


def gives_address(text: str, url: str) -> bool:
    """Whether the http(s) address stands in a text, in whatever spelling of the same address.

    `www.example.com/x` counts with both schemes. Where Chinese words follow an address without
    a space, both readings count: with them and without them.
    """
    try:
        wanted = parsed_address(url)
    except AddressRefused:
        return False
    plain_words = PLAIN_WORD.findall(ESCAPE.sub(" ", wanted.target))
    plain_word = max(plain_words, key=len, default="")
    # To take an address apart is slow, and a text may hold thousands of others.
    for word in set(text.split()):
        has_plain_word = plain_word in word or "%" in word
        if has_plain_word and _may_name(wanted.host, word) and _word_gives(word, wanted.url):
            return True
    return False


def sign_of_host(url: str) -> str:
    """What a text that gives the address holds for certain, in lower-case; may be empty.

    A name of other letters and an IPv6 address have many spellings.
    """
    try:
        host = parsed_address(url).host
    except AddressRefused:
        return ""
    has_spellings = ":" in host or PUNYCODE in host
    return "" if has_spellings else host


def _may_name(host: str, word: str) -> bool:
    if ":" in host:
        return "[" in word
    lower_word = word.lower()
    if PUNYCODE in host:
        return PUNYCODE in lower_word or not word.isascii()
    return host in lower_word


def _word_gives(word: str, normal_url: str) -> bool:
    for written in _written_addresses(word):
        for reading in _readings(written):
            if normal_address(reading) == normal_url:
                return True
    return False


def _written_addresses(text: str) -> Iterator[str]:
    for match in WRITTEN_ADDRESS.finditer(text):
        yield match[0]
    for match in WITHOUT_SCHEME.finditer(text):
        yield f"https://{match[0]}"
        yield f"http://{match[0]}"


def _readings(written: str) -> Iterator[str]:
    """What the writer may have meant as the address."""
    if len(written) > LONGEST_WRITTEN:
        return
    without_signs = _without_trailing_signs(written)
    yield without_signs
    if without_signs != written:
        yield written
    if "&amp;" in written:
        unescaped = html.unescape(written)
        yield _without_trailing_signs(unescaped)
    not_ascii = NOT_ASCII.search(written)
    if not_ascii is not None:
        ascii_part = written[: not_ascii.start()]
        yield _without_trailing_signs(ascii_part)


def _without_trailing_signs(written: str) -> str:
    """Punctuation at the end belongs to the sentence; a bracket that was opened within stays."""
    end = len(written)
    while end > 0 and written[end - 1] in TRAILING_SIGNS:
        closing = written[end - 1]
        opening = BRACKETS.get(closing, "")
        kept = written[:end]
        if opening and kept.count(opening) >= kept.count(closing):
            break
        end -= 1
    return written[:end]

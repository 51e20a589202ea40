"""The web addresses in what people wrote and tools returned: only these may be fetched.

Only an address that was given exactly so is known: a model that appends a query, and with it what
it read, asks for an address that nobody gave. Texts that a role wrote itself must not be searched
here, nor what a tool merely repeats of its arguments.
"""

import html
import re
from collections.abc import Collection, Iterator

from meetmind.errors import AddressRefused
from meetmind.tools.web.web_address import LONGEST_ADDRESS, parsed_address

# Chinese punctuation and the signs that Markdown, HTML and JSON put round an address end it; a
# full-width comma is no part of one.
ENDS = r"\s<>\"`|\\^{}\x00-\x1f\x7f" + "，。；：！？、（）【】《》〈〉「」『』“”‘’…—～·\u3000\ufeff"
WRITTEN_ADDRESS = re.compile(
    rf"(?<![A-Za-z0-9])https?://(?:(?![,;]https?://)[^{ENDS}])+", re.IGNORECASE
)
WITHOUT_SCHEME = re.compile(rf"(?<![A-Za-z0-9@./_=-])www\.[^{ENDS}/.][^{ENDS}]*", re.IGNORECASE)
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


def addresses_in(text: str) -> set[str]:
    """The http(s) addresses that stand in a text, each in its normal form.

    `www.example.com/x` counts with both schemes. Where Chinese words follow an address without
    a space, both readings count: with them and without them.
    """
    found: set[str] = set()
    for written in _written_addresses(text):
        found.update(normal_address(reading) for reading in _readings(written))
    found.discard("")
    return found


def is_known(url: str, known: Collection[str]) -> bool:
    """Whether the address is one of `known`, which `addresses_in` or `normal_address` gave."""
    normal = normal_address(url)
    return normal != "" and normal in known


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
    yield _without_trailing_signs(written)
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

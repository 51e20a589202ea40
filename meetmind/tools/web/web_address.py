"""An http(s) address taken apart strictly, so that nobody can read it in two ways."""

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import quote

import idna

from meetmind.errors import AddressRefused

LONGEST_ADDRESS = 2_000
LONGEST_HOST = 253
DEFAULT_PORT = {"http": 80, "https": 443}
ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?",
    # Without ASCII, ignoring case would take the long s for an s.
    re.IGNORECASE | re.ASCII,
)
AUTHORITY = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]@%]+)(?::(?P<port>[1-9][0-9]{0,4}))?", re.ASCII
)
LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
IPV4_PART = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
PLAIN_IPV4 = re.compile(rf"{IPV4_PART}(?:\.{IPV4_PART}){{3}}", re.ASCII)
NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.ASCII)
"""A host that ends in such a label is an IPv4 address to some programs (WHATWG, inet_aton)."""
UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"))
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
UNRESERVED = re.compile(r"[A-Za-z0-9._~-]", re.ASCII)
SIGNS_OF_PATH = "%/:@!$&'()*+,;=-._~"
SIGNS_OF_QUERY = SIGNS_OF_PATH + "?[]"
LOCAL_DOMAINS = frozenset(
    (
        "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp",
        "private", "onion", "home.arpa",
    )
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WebAddress:
    """The parts of an address in their normal form."""

    scheme: str
    host: str
    """Lower-case ASCII (IDNA) without a trailing dot; an IPv6 address stands without brackets."""
    port: int
    target: str
    """Path and query as they are sent, percent-encoded; begins with a slash."""

    @property
    def authority(self) -> str:
        """Host and port as they stand in an address; the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.port == DEFAULT_PORT[self.scheme]:
            return host
        return f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.target}"


def checked_address(url: str) -> WebAddress:
    """The address, if its spelling, its port and its name may be those of a public page.

    Raises `AddressRefused`. What the name resolves to is judged when a connection is made.
    """
    address = parsed_address(url)
    if address.port not in DEFAULT_PORT.values():
        raise _refused("only the ports 80 and 443 are allowed", "port")
    if ":" in address.host or PLAIN_IPV4.fullmatch(address.host):
        return address
    labels = address.host.split(".")
    if NUMBER.fullmatch(labels[-1]):
        raise _refused("its host is a number in an unusual spelling", "odd_address")
    if len(labels) == 1 or not LOCAL_DOMAINS.isdisjoint((labels[-1], ".".join(labels[-2:]))):
        raise _refused("its host is a name inside a local network", "not_public")
    return address


def parsed_address(url: str) -> WebAddress:
    """The parts of an address that has one meaning only, public or not; else `AddressRefused`."""
    if len(url) > LONGEST_ADDRESS:
        raise _refused(f"it is longer than {LONGEST_ADDRESS} characters", "odd_address")
    for character in url:
        if character == "\\" or unicodedata.category(character) in UNSEEN_CATEGORIES:
            raise _refused("it holds a space, a backslash or an unseen character", "odd_address")
    parts = ADDRESS.fullmatch(url)
    if parts is None:
        raise _refused("it must begin with http:// or https://", "odd_address")
    authority = AUTHORITY.fullmatch(parts["authority"])
    if authority is None:
        raise _refused("it must hold a plain host name and no user name", "odd_address")
    scheme = parts["scheme"].lower()
    path = _normal_escapes(parts["path"] or "/", SIGNS_OF_PATH)
    query = _normal_escapes(parts["query"] or "", SIGNS_OF_QUERY)
    return WebAddress(
        scheme=scheme,
        host=_normal_host(authority["host"]),
        port=_port_number(authority["port"], scheme),
        target=path + query,
    )


def _port_number(port: str | None, scheme: str) -> int:
    if port is None:
        return DEFAULT_PORT[scheme]
    number = int(port)
    if number > 65_535:
        raise _refused("its port is no port", "port")
    return number


def _normal_host(host: str) -> str:
    if host.startswith("["):
        return _normal_ipv6(host[1:-1])
    without_root_dot = host[:-1] if host.endswith(".") else host
    ascii_host = _ascii_host(without_root_dot)
    for label in ascii_host.split("."):
        if not LABEL.fullmatch(label):
            raise _refused("its host is no host name", "odd_address")
    if len(ascii_host) > LONGEST_HOST:
        raise _refused("its host is too long", "odd_address")
    return ascii_host


def _normal_ipv6(literal: str) -> str:
    try:
        return IPv6Address(literal).compressed
    except AddressValueError:
        raise _refused("its host is no IPv6 address", "odd_address") from None


def _ascii_host(host: str) -> str:
    """The name as it is asked for; look-alikes of digits, letters and dots are refused."""
    if host.isascii():
        return host.lower()
    if "\u3002" in host or unicodedata.normalize("NFKC", host) != host:
        raise _refused("its host is written with look-alike characters", "odd_address")
    try:
        return idna.encode(host, uts46=True, std3_rules=True).decode("ascii").lower()
    except idna.IDNAError:
        raise _refused("its host is no host name", "odd_address") from None


def _normal_escapes(part: str, signs: str) -> str:
    without_strays = STRAY_PERCENT.sub("%25", part)
    encoded = quote(without_strays, safe=signs)
    return ESCAPE.sub(_normal_escape, encoded)


def _normal_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if UNRESERVED.fullmatch(character) else escape[0].upper()


def _refused(why: str, reason: str) -> AddressRefused:
    return AddressRefused(
        f"This address is not fetched: {why}. Use the plain address of a public page, or go on "
        "without it.",
        reason=reason,
    )

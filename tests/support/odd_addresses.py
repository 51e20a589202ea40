"""Spellings of addresses that are not public: as many as programs are known to understand."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address

INNER_IPV4 = (
    "127.0.0.1", "127.8.9.10", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254",
    "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "192.0.2.7", "203.0.113.9",
    "224.0.0.1", "240.1.1.1", "255.255.255.255", "0.0.0.0",
)  # fmt: skip
INNER_IPV6 = (
    "::1", "::", "0:0:0:0:0:0:0:1", "fe80::1", "febf::1", "fc00::1", "fd00:ec2::254", "fec0::1",
    "ff02::1", "ff0e::1", "2001:db8::1", "3fff::1", "2001:2::1", "2001:10::1", "2001:20::1",
    "100::1", "5f00::1", "4000::1", "fe80::1%eth0", "fe80::1%25eth0", "::1%lo", "3ffe::1",
)  # fmt: skip
INNER_NAMES = (
    "localhost", "LOCALHOST", "localhost.", "app.localhost", "localhost.localdomain", "printer",
    "printer.local", "metadata.google.internal", "db.internal", "wiki.corp", "nas.lan",
    "router.home.arpa", "ⓛocalhost", "ｌocalhost", "loc\u00adalhost", "local\u200bhost",
    "localhoſt",
)  # fmt: skip
FULL_WIDTH = str.maketrans("0123456789.", "０１２３４５６７８９．")
CIRCLED = str.maketrans("123456789", "①②③④⑤⑥⑦⑧⑨")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
MATHEMATICAL = str.maketrans("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")


def inner_addresses() -> Iterator[str]:
    """URLs that some program would take for a page on this machine or in its network."""
    for address in INNER_IPV4:
        for host in (*ipv4_spellings(address), *ipv6_around(address)):
            yield f"http://{host}/"
        yield from odd_urls(address)
    for literal in INNER_IPV6:
        yield f"http://[{literal}]/"
        yield f"https://[{literal}]:443/"
    for name in INNER_NAMES:
        yield f"http://{name}/"
        yield f"https://{name}/"


def ipv4_spellings(address: str) -> Iterator[str]:
    """Hosts that mean one IPv4 address to `inet_aton`, to a browser or to IDNA."""
    number = int(IPv4Address(address))
    first, second, third, fourth = IPv4Address(address).packed
    yield from (address, f"{address}.", f"{address}..", str(number), f"{number}.")
    yield from (hex(number), hex(number).upper(), f"0{number:o}", f"0x{number:012x}")
    yield ".".join(hex(part) for part in (first, second, third, fourth))
    yield ".".join(f"0{part:o}" for part in (first, second, third, fourth))
    yield ".".join(f"{part:03d}" for part in (first, second, third, fourth))
    yield f"{first}.{hex(second)}.0{third:o}.{fourth}"
    yield f"{first}.{(second << 16) + (third << 8) + fourth}"
    yield f"{first}.{second}.{(third << 8) + fourth}"
    yield f"{hex(first)}.{second}.{hex((third << 8) + fourth)}"
    yield f"{first}.{second}.{third}.0{fourth:o}"
    for table in (FULL_WIDTH, CIRCLED, ARABIC, MATHEMATICAL):
        yield address.translate(table)
    for dot in "。．｡":
        yield address.replace(".", dot)
    yield address.replace(".", "%2e")
    yield "".join(f"%{ord(character):02x}" for character in address)
    yield from (f"{address}:8080", f"{address}:080", f"{address}:22", f"[{address}]")


def ipv6_around(address: str) -> Iterator[str]:
    """IPv6 literals by which an IPv4 address can be reached."""
    number = int(IPv4Address(address))
    high, low = number >> 16, number & 0xFFFF
    yield from (f"[::ffff:{address}]", f"[::FFFF:{high:x}:{low:x}]", f"[::{address}]")
    yield from (f"[0:0:0:0:0:ffff:{high:x}:{low:x}]", f"[::ffff:0:{address}]")
    yield from (f"[64:ff9b::{address}]", f"[64:ff9b:1::{high:x}:{low:x}]")
    yield from (f"[2002:{high:x}:{low:x}::1]", f"[2001:0:{high:x}:{low:x}::1]")
    yield from (f"[2001:470:1::5efe:{address}]", f"[2001:470:1::200:5efe:{high:x}:{low:x}]")
    teredo_number = (0x20010000 << 96) | (number ^ 0xFFFFFFFF)
    yield f"[{IPv6Address(teredo_number)}]"


def odd_urls(address: str) -> Iterator[str]:
    """URLs whose host depends on who reads them."""
    yield from (f"http://shop.example@{address}/", f"http://shop.example:80@{address}/")
    yield from (f"http://{address}\\@shop.example/", f"http://{address}#@shop.example/")
    yield from (f"http://shop.example\\@{address}/", f"http://{address}/\t", f" http://{address}/")
    yield from (f"http://{address}\t/", f"http://\n{address}/", f"http:{address}/", f"//{address}/")
    yield from (f"http:/{address}/", f"http:\\\\{address}\\", f"http://{address}:80:80/")
    yield from (f"ftp://{address}/", f"gopher://{address}/", f"file://{address}/etc/passwd")
    yield from (f"HTTP://{address}:80", f"https://{address}", f"http://{address}?x", f"{address}/")


def chains_to(inner: Sequence[str], starts: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Redirect chains of one to five steps: where to begin, and where each path leads."""
    for number, last in enumerate(inner):
        steps = number % 5 + 1
        paths = [f"/chain{number}/{step}" for step in range(steps)]
        leads = {path: f"/chain{number}/{step + 1}" for step, path in enumerate(paths)}
        leads[paths[-1]] = last
        yield f"{starts[number % len(starts)]}{paths[0]}", leads

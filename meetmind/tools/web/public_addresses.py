"""Which IP addresses are public: everything else may not be connected to.

`ipaddress` is not leaned on for this: its `is_global` is true for NAT64, 6to4 and multicast, all of
which lead into private networks. IPv4 is judged by what is excluded, IPv6 by what is let in. After
the IANA registries of special-purpose addresses (RFC 6890 and its updates).
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

SPECIAL_IPV4 = tuple(
    (IPv4Network(block), reason)
    for block, reason in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a provider's customers"),
        ("127.0.0.0/8", "loopback"),
        # Where clouds hand out the keys of a machine: 169.254.169.254 and its neighbours.
        ("169.254.0.0/16", "link-local"),
        ("168.63.129.16/32", "metadata of a cloud"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "for documentation"),
        ("192.31.196.0/24", "reserved for protocols"),
        ("192.52.193.0/24", "reserved for protocols"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved for protocols"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
GLOBAL_IPV6 = IPv6Network("2000::/3")
SPECIAL_IPV6 = tuple(
    (IPv6Network(block), reason)
    for block, reason in (
        # Teredo, benchmarks, ORCHID and the like.
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "reserved for protocols"),
        ("3ffe::/16", "given back"),
        ("3fff::/20", "for documentation"),
    )
)
ISATAP_MARKS = (0x00005EFE, 0x02005EFE)
"""The upper half of an ISATAP interface identifier (RFC 5214); an IPv4 address follows it."""


def why_not_public(address: str) -> str:
    """Why nobody may connect to the IP address, in a few words; empty for a public one."""
    if "%" in address:
        return "link-local"
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, IPv4Address):
        return _why_not_public_ipv4(parsed)
    return _why_not_public_ipv6(parsed)


def _why_not_public_ipv4(address: IPv4Address) -> str:
    for block, reason in SPECIAL_IPV4:
        if address in block:
            return reason
    return ""


def _why_not_public_ipv6(address: IPv6Address) -> str:
    """Mapped, compatible, NAT64, local and multicast addresses all lie outside `GLOBAL_IPV6`."""
    if address not in GLOBAL_IPV6:
        return "not a global IPv6 address"
    for block, reason in SPECIAL_IPV6:
        if address in block:
            return reason
    upper_half_of_interface = (int(address) >> 32) & 0xFFFFFFFF
    if upper_half_of_interface in ISATAP_MARKS:
        return "ISATAP"
    return ""

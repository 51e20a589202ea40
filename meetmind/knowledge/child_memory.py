"""Bounds the memory of a process that reads what somebody else wrote; imports nothing heavy."""

import contextlib


def limit_memory(most_bytes: int) -> None:
    """Bound the address space where the platform can; macOS and Windows cannot."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

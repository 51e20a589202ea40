"""How the server is started: options, address, port, a quiet log."""

import logging
import socket
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from uvicorn.config import LOGGING_CONFIG

from meetmind.config.settings import Settings

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


def streamlit_options(settings: Settings) -> dict[str, Any]:
    """The options of Streamlit that the settings decide.

    On a loopback address only loopback names are answered: no foreign name can be bound to it.
    """
    options: dict[str, Any] = {"server.address": settings.host, "server.port": settings.port}
    if settings.host in LOOPBACK_HOSTS:
        options["server.allowedHosts"] = ["localhost", "127.0.0.1", "[::1]"]
    return options


def address_text(settings: Settings) -> str:
    """Where people find the app, in one line."""
    host = settings.host
    if host in ALL_INTERFACES:
        host = socket.gethostname()
    elif ":" in host:
        host = f"[{host}]"
    return f"MeetMind is at http://{host}:{settings.port}"


def port_is_free(host: str, port: int) -> bool:
    """Whether nobody listens at the address yet."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def quiet_server_log() -> None:
    """Leave only warnings and faults of the web server in the log, in the log's own format."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        LOGGING_CONFIG["loggers"][name] = {"handlers": [], "level": "WARNING", "propagate": True}
        logging.getLogger(name).setLevel(logging.WARNING)


async def close_in_thread(close: Callable[[], None]) -> None:
    """Close what closes slowly without holding the event loop."""
    await run_in_threadpool(close)

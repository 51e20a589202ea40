"""Reads the bytes behind a download button when it is clicked."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meetmind.server.services import Services


def file_reader(
    services: "Services", person_id: str, session_id: str, path: str
) -> Callable[[], bytes]:
    """Reads the file when somebody asks for it, not each time that the page is drawn."""

    def read() -> bytes:
        return services.workspaces.read_file(person_id, session_id, path)

    return read


def zip_reader(services: "Services", person_id: str, session_id: str) -> Callable[[], bytes]:
    """Packs all files of a discussion when somebody asks for them."""

    def read() -> bytes:
        return services.workspaces.zip_bytes(person_id, session_id)

    return read

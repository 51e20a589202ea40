"""Services for a process that only reads: nothing is ingested and no discussion can begin."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from meetmind.config.settings import Settings
from meetmind.database.startup import open_database
from meetmind.server.services import Services


@contextmanager
def reading_services(settings: Settings) -> Iterator[Services]:
    """The services, closed at the end; models load in the background and nobody waits for them.

    Raises `DatabaseError` with one plain sentence.
    """
    services = Services(settings, open_database(settings))
    loading = threading.Thread(
        target=services.library.start_loading_model, name="meetmind-models", daemon=True
    )
    loading.start()
    try:
        yield services
    finally:
        services.close()

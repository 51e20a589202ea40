"""The real server with a model that asks for the tool calls that a brief stands for."""

import os
import sys

import server
from meetmind.config.environment import load_environment
from meetmind.database.startup import open_database
from meetmind.server.models import Models
from meetmind.server.services import Services, close_services
from meetmind.ui.process import process_services
from tests.support.asking_model import asking_client
from tests.support.holding_write import hold_writes


def main() -> int:
    """Serve until SIGTERM."""
    settings = load_environment()
    services = Services(settings, open_database(settings))
    services.models = Models(
        settings, asking_client(piece_seconds=float(os.environ.get("PIECE_SECONDS", "0")))
    )
    services.accounts.ensure_first_account()
    services.warm_up()
    hold_writes(settings.meetmind_home / "held")
    try:
        with process_services.using(services):
            return server.main()
    finally:
        close_services(services)


if __name__ == "__main__":
    sys.exit(main())

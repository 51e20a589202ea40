"""Serves the app with its sign-in cookie: what `make run` starts."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from meetmind.config.environment import load_environment
from meetmind.config.logging import set_up_logging
from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.errors import MeetMindError
from meetmind.ui.fault import show_fault
from meetmind.ui.process import cookie_door, process_services
from meetmind.web.routes import build_routes
from meetmind.web.serving import (
    address_text,
    close_in_thread,
    port_is_free,
    quiet_server_log,
    streamlit_options,
)


@asynccontextmanager
async def lifespan(_: "st.App") -> AsyncIterator[None]:
    """Say where the app is; at the end leave the database in order."""
    print(address_text(settings_in_use()), flush=True)
    try:
        yield
    finally:
        await close_in_thread(process_services.close)


def settings_in_use() -> Settings:
    """The settings, with `.env` in the environment."""
    return load_environment()


def stop_on_failure(sentence: str) -> None:
    """The database is the only thing that stops a start: say why, and end the server."""
    print(sentence, file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGINT)


def main() -> int:
    """Serve until Ctrl-C or SIGTERM; 1 when the start fails."""
    try:
        settings = settings_in_use()
    except MeetMindError as error:
        print(error, file=sys.stderr)
        return 1
    if not port_is_free(settings.host, settings.port):
        print(
            f"Port {settings.port} is in use. Stop what listens there or set PORT to another.",
            file=sys.stderr,
        )
        return 1
    set_up_logging(settings.log_level)
    quiet_server_log()
    cookie_door.is_open = True
    try:
        process_services.begin(lambda: settings, stop_on_failure)
        app.run(config=streamlit_options(settings))
    except KeyboardInterrupt:
        pass
    finally:
        process_services.close()
    return 1 if process_services.failure else 0


app = st.App(
    PROJECT_ROOT / "app.py",
    lifespan=lifespan,
    on_script_error=show_fault,
    routes=build_routes(lambda: process_services.current),
)

if __name__ == "__main__":
    sys.exit(main())

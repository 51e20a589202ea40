"""The log of a process holds no secrets: real child processes whose standard error is read."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-proj-" + "a1B2" * 8
PASSWORD = "hunter2hunter2"

LIBRARY_LINES = f"""
import logging, threading, warnings
from meetmind.config.logging import set_up_logging
set_up_logging("INFO")
log = logging.getLogger("meetmind.server.services")
log.debug("not heard")
log.info("key %s of %s", "{KEY}", {{"password": "{PASSWORD}"}})
log.warning("arguments do not fit %s %s", "{KEY}")
try:
    raise ValueError("postgresql://app:{PASSWORD}@db/shop")
except ValueError:
    log.exception("it broke with {KEY}")
logging.getLogger("httpx").info("GET https://x.example/?api_key={PASSWORD}")
logging.getLogger("httpx").warning("GET https://x.example/?api_key={PASSWORD}")
logging.getLogger("some.library").info("not heard")
warnings.warn("old {KEY}")

class Odd:
    def __str__(self):
        raise OSError("no words")

log.info("odd %s", Odd())
def thread_breaks():
    raise RuntimeError("Authorization: Bearer {KEY}")
thread = threading.Thread(target=thread_breaks, name="worker")
thread.start()
thread.join()
raise RuntimeError("password={PASSWORD}")
"""

# The server as `make run` starts it, but for what it serves.
SERVER_LINES = f"""
import logging, sys
import server
from streamlit.logger import get_logger
from uvicorn.config import Config

def serve(config):
    Config(app=server.app)
    for name in ("meetmind.ui.fault", "server", "uvicorn.error", "psycopg.pool", "openai"):
        logging.getLogger(name).error("at %s", "https://x.example/?token={PASSWORD}")
    get_logger("streamlit.runtime").error("streamlit told {KEY}")
    logging.getLogger("meetmind.server").info("news of the project")
    logging.getLogger("httpx").info("news of a library")

server.process_services.begin = lambda load, on_failure: None
server.app.run = serve
server.port_is_free = lambda host, port: True
sys.exit(server.main())
"""

CLI_LINES = f"""
import logging, sys
from meetmind.cli import commands

def diagnose(settings):
    logging.getLogger("meetmind.server").warning("the key is {KEY}")
    logging.getLogger("meetmind.server").info("news")
    return []

import meetmind.server.diagnosis
meetmind.server.diagnosis.diagnose = diagnose
sys.argv = ["meetmind", "doctor"]
import meetmind.cli.__main__
"""


def run_child(lines: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), **variables}
    return subprocess.run(
        [sys.executable, "-c", lines],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_no_record_shows_a_secret_however_it_was_logged() -> None:
    log = run_child(LIBRARY_LINES).stderr

    assert KEY not in log
    assert PASSWORD not in log
    assert "INFO    meetmind.server.services: key [masked] of {'password': '[masked]'}" in log
    assert "arguments do not fit %s %s (its arguments do not fit)" in log
    assert "it broke with [masked]\nTraceback" in log
    assert "ValueError: postgresql://app:[masked]@db/shop" in log
    assert "WARNING httpx: GET https://x.example/?api_key=[masked]" in log
    assert "old [masked]" in log
    assert "The thread worker broke\nTraceback" in log
    assert "Authorization: Bearer [masked]" in log
    assert "The process broke\nTraceback" in log
    assert "RuntimeError: password=[masked]" in log


def test_libraries_are_heard_from_warnings_on_and_the_project_from_its_level_on() -> None:
    log = run_child(LIBRARY_LINES).stderr

    assert "not heard" not in log
    assert log.count("httpx") == 1


def test_the_server_writes_every_log_through_the_redaction() -> None:
    child = run_child(SERVER_LINES, LOG_LEVEL="info")

    assert child.returncode == 0, child.stderr
    assert KEY not in child.stderr
    assert PASSWORD not in child.stderr
    assert child.stderr.count("https://x.example/?token=[masked]") == 5
    assert "ERROR   uvicorn.error: at https://x.example/?token=[masked]" in child.stderr
    assert "streamlit told [masked]" in child.stderr
    assert "news of the project" in child.stderr
    assert "news of a library" not in child.stderr


def test_the_level_of_the_settings_holds() -> None:
    child = run_child(SERVER_LINES, LOG_LEVEL="ERROR")

    assert child.returncode == 0, child.stderr
    assert "news of the project" not in child.stderr


def test_the_command_line_tells_warnings_without_secrets() -> None:
    child = run_child(CLI_LINES)

    assert child.returncode == 0, child.stderr
    assert "WARNING meetmind.server: the key is [masked]" in child.stderr
    assert "news" not in child.stderr

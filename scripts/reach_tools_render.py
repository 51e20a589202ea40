"""Measures whether a text can make a page ask a foreign host: every place, every form."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from psycopg_pool import ConnectionPool

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT))

from argon2 import PasswordHasher  # noqa: E402 - the path comes first
from playwright.sync_api import Browser  # noqa: E402

from meetmind.config.roster_names import AGENT_NAMES  # noqa: E402
from meetmind.database import sessions, users  # noqa: E402
from meetmind.database.agent_tables import ensure_agent_table, get_table_name  # noqa: E402
from meetmind.database.embedded import open_embedded  # noqa: E402
from meetmind.database.startup import prepare_database  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from meetmind.ui.session import COOKIE_NAME  # noqa: E402
from scripts.app_trial import free_port, open_browser  # noqa: E402
from scripts.reach_lines import ReachLines  # noqa: E402
from scripts.screenshots import wait_until_healthy  # noqa: E402
from tests.support.foreign_knowledge import (  # noqa: E402
    PASSAGE,
    store_hostile_evaluation,
    store_hostile_knowledge,
    store_hostile_map,
    store_hostile_memory,
    store_hostile_search,
    write_broken_document,
)
from tests.support.foreign_places import (  # noqa: E402
    look_at_discussion,
    look_at_head_and_list,
    look_at_knowledge,
    look_at_rerank,
    look_at_rest,
    look_at_right_column,
)
from tests.support.foreign_run import store_hostile_runs  # noqa: E402
from tests.support.foreign_texts import (  # noqa: E402
    FORMS,
    hostile_line,
    hostile_text,
)
from tests.support.foreign_tour import ForeignRequests, Tour  # noqa: E402

GUARDED = PROJECT_ROOT / "server.py"
UNGUARDED = PROJECT_ROOT / "tests" / "support" / "unguarded_server.py"
PASSWORD = "only-for-the-tour"
LEAST_PLACES = 40
UNGUARDED_PATIENCE = 1.0
PATIENCE_MILLISECONDS = 4_000
WINDOW = {"width": 1500, "height": 1000}


@dataclass(frozen=True, kw_only=True)
class Planted:
    """What the tour has to know."""

    token: str
    session_id: str
    search_id: str


def measure(lines: ReachLines) -> None:
    """Go through the app twice, with the guard and without it."""
    with open_browser() as browser:
        guarded = take_tour(browser, GUARDED)
        unguarded = take_tour(browser, UNGUARDED, UNGUARDED_PATIENCE)
    attempts = sum(len(hosts) for hosts in guarded.drawn.values())
    for host, place in sorted(guarded.requests.asked.items()):
        lines.note(f"foreign_requests: {host} was asked at: {place}")
    lines.note(
        f"foreign_requests: {len(guarded.drawn)} places were really drawn, {len(FORMS)} forms"
    )
    asked = len(unguarded.requests.asked)
    bad = len(guarded.requests.asked)
    if len(guarded.drawn) < LEAST_PLACES:
        lines.note(f"foreign_requests: fewer than {LEAST_PLACES} places were seen")
        attempts = 0
    lines.none_of("foreign_requests", bad, attempts, bad_without_guard=asked)


def take_tour(browser: Browser, program: Path, patience: float | None = None) -> Tour:
    """Plant the texts, start the app and look at every place."""
    with planted_app(program) as (address, planted):
        context = browser.new_context(locale="en-US", viewport=WINDOW, timezone_id="Europe/Berlin")
        requests = ForeignRequests()
        context.route("**/*", requests.on_route)
        context.add_cookies([{"name": COOKIE_NAME, "value": planted.token, "url": address}])
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        page = context.new_page()
        tour = Tour(page=page, requests=requests)
        if patience is not None:
            tour.patience = patience
        tour.do(
            "discussion", lambda: page.goto(f"{address}/?d={planted.session_id}", timeout=60_000)
        )
        tour.rest()
        look_at_head_and_list(tour, planted.session_id)
        look_at_discussion(tour)
        look_at_right_column(tour)
        look_at_knowledge(tour, address, PASSAGE)
        look_at_rerank(tour, address, planted.search_id)
        look_at_rest(tour, address)
        context.close()
    return tour


@contextmanager
def planted_app(program: Path) -> Iterator[tuple[str, Planted]]:
    """The app on a database full of hostile texts; its address."""
    home = Path(tempfile.mkdtemp(prefix="meetmind-tour-"))
    home.chmod(0o755)
    server = open_embedded(home)
    try:
        pool = prepare_database(server.conninfo)
        planted = plant(pool, home)
        pool.close()
        with running(program, home, server.conninfo) as address:
            yield address, planted
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)


def plant(pool: ConnectionPool, home: Path) -> Planted:
    """Every hostile text, owned by an administrator with a hostile name."""
    name = hostile_line("account")
    users.insert_first_admin(pool, name, PasswordHasher().hash(PASSWORD))
    accounts = Accounts(pool)
    owner = accounts.person_named(name)
    accounts.change_password(owner.id, PASSWORD, f"{PASSWORD}-2")
    token = accounts.redeem_ticket(accounts.issue_ticket(owner.id))
    assert token is not None
    session_id = sessions.create_session(pool, owner_id=owner.id, title=hostile_text("title"))
    run_id = store_hostile_runs(pool, owner.id, session_id)
    tables = [get_table_name("meetmind", agent_name) for agent_name in AGENT_NAMES]
    for table_name in tables:
        ensure_agent_table(pool, table_name)
    store_hostile_knowledge(pool, owner.id)
    store_hostile_map(pool, tables)
    search_id = store_hostile_search(pool, owner.id, run_id)
    store_hostile_memory(pool, owner.id)
    store_hostile_evaluation(home)
    write_broken_document(home / "seed")
    return Planted(token=token, session_id=session_id, search_id=search_id)


@contextmanager
def running(program: Path, home: Path, database_url: str) -> Iterator[str]:
    port = free_port()
    environment = {
        **os.environ,
        "MEETMIND_HOME": str(home),
        "SEED_DATA_PATH": str(home / "seed"),
        "PG_URL": database_url,
        "PORT": str(port),
        "EMBEDDING_MODEL_NAME": "no-such-model",
        "API_KEY": "",
    }
    process = subprocess.Popen(
        [sys.executable, str(program)], env=environment, stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    measure(ReachLines("tools_render"))

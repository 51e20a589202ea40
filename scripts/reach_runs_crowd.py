"""`discussions_at_once`: twenty discussions in one process, their page, and their memory."""

import gc
import logging
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

import psutil  # noqa: E402 - the paths above come first
from pydantic import SecretStr  # noqa: E402
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402
from reach_runs_talk import LongTalkModel  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402

from meetmind.config.settings import Settings  # noqa: E402
from meetmind.database.startup import open_database  # noqa: E402
from meetmind.llm.client import ModelClient  # noqa: E402
from meetmind.llm.limits import FifoLimiter  # noqa: E402
from meetmind.llm.retry import RetryPolicy  # noqa: E402
from meetmind.llm.server_habits import Endpoint  # noqa: E402
from meetmind.server.services import Services, close_services  # noqa: E402
from meetmind.ui.process import process_services  # noqa: E402
from meetmind.ui.session import DISCUSSION_ID, TAB_TOKEN  # noqa: E402

APP = str(PROJECT_ROOT / "app.py")
DISCUSSIONS = 20
LIMIT = 8
TOKENS_A_SECOND = 50
TOKENS_AN_UTTERANCE = 60
CLOSES_AFTER = 6
FIRST_COUNTED = 5
"""Memory is looked at after so many discussions: what is loaded once is loaded by then."""
DEADLINE_SECONDS = 300.0
WARNS_WITHOUT_BROWSER = "streamlit.runtime.scriptrunner_utils.script_run_context"
MEGABYTE = 1_000_000
OVER = ("done", "stopped", "failed")


@dataclass(kw_only=True)
class Crowd:
    """What was seen while the discussions went on."""

    rerun_seconds: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    """After each discussion that finished, in that order."""
    states: list[str] = field(default_factory=list)


def measure(lines: ReachLines) -> None:
    """Run the crowd once."""
    # Pages are drawn without a browser here, which Streamlit warns of at every run.
    logging.getLogger(WARNS_WITHOUT_BROWSER).disabled = True
    crowd = crowded()
    finished = crowd.states.count("done")
    p95 = statistics.quantiles(crowd.rerun_seconds, n=20)[-1]
    slope = memory_slope(crowd.memory_mb)
    lines.note(
        f"{finished} of {DISCUSSIONS} done; {len(crowd.rerun_seconds)} page reruns, p95 {p95:.2f} s"
        f" (2); memory {slope:+.2f} MB a discussion (1)"
    )
    met = [finished == DISCUSSIONS, p95 < 2, slope < 1]
    lines.all_of("discussions_at_once", sum(met), len(met))


def memory_slope(memory_mb: list[float]) -> float:
    """Megabytes a discussion after the first ones, by least squares."""
    counted = memory_mb[FIRST_COUNTED - 1 :]
    return statistics.linear_regression(range(len(counted)), counted).slope


def crowded() -> Crowd:
    """Start everything at once; redraw pages until all is over."""
    crowd = Crowd()
    with fresh_database() as database_url, opened_services(database_url) as services:
        person = services.accounts.sign_in("admin", "admin")
        services.accounts.change_password(person.id, "admin", "correct-horse")
        token = services.accounts.redeem_ticket(services.accounts.issue_ticket(person.id))
        assert token is not None
        run_ids = []
        for number in range(DISCUSSIONS):
            session_id = services.discussions.create_session(person.id, f"Discussion {number}")
            run_id = services.execution.start_run(
                person.id, session_id, f"How is part {number} done?", "team"
            )
            run_ids.append((session_id, run_id))
        watching = threading.Thread(target=watch, args=(services, person.id, run_ids, crowd))
        watching.start()
        tabs = [tab_of(token, session_id) for session_id, _ in run_ids[::5]]
        while watching.is_alive():
            for tab in tabs:
                began = time.perf_counter()
                tab.run()
                crowd.rerun_seconds.append(time.perf_counter() - began)
                assert not tab.exception
        watching.join()
    return crowd


def tab_of(token: str, session_id: str) -> AppTest:
    tab = AppTest.from_file(APP, default_timeout=60.0)
    tab.context = {"locale": "en-US", "timezone": "Europe/Berlin"}
    tab.session_state[TAB_TOKEN] = token
    tab.session_state[DISCUSSION_ID] = session_id
    return tab


def watch(services: Services, owner_id: str, run_ids: list[tuple[str, str]], crowd: Crowd) -> None:
    """Note the memory whenever one more discussion is over, until all are."""
    own = psutil.Process()
    deadline = time.monotonic() + DEADLINE_SECONDS
    over: set[str] = set()
    while len(over) < len(run_ids) and time.monotonic() < deadline:
        for session_id, run_id in run_ids:
            (run,) = services.discussions.list_runs(owner_id, session_id)
            if run_id not in over and run.state in OVER:
                over.add(run_id)
                crowd.states.append(run.state)
                gc.collect()
                crowd.memory_mb.append(own.memory_info().rss / MEGABYTE)
        time.sleep(0.2)


@contextmanager
def opened_services(database_url: str) -> Iterator[Services]:
    """The real services without documents, with a model of a steady pace."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seed"
        seeds.mkdir()
        settings = Settings(
            pg_url=SecretStr(database_url),
            meetmind_home=Path(folder) / "home",
            seed_data_path=seeds,
            embedding_model_name="no-such-model",
        )
        services = Services(settings, open_database(settings))
        services.accounts.ensure_first_account()
        services.models.use_client(steady_client())
        with process_services.using(services):
            yield services
        close_services(services)


def steady_client() -> ModelClient:
    """Fifty tokens a second, sixty an utterance; four characters are a token."""
    model = LongTalkModel(
        utterance_words=TOKENS_AN_UTTERANCE * 4 // 7,
        closes_after=CLOSES_AFTER,
        piece_characters=4,
        piece_seconds=1 / TOKENS_A_SECOND,
    )
    endpoint = Endpoint(name="steady", base_url="")
    return ModelClient(
        model,
        name="steady",
        base_url="",
        offline=False,
        limiter=FifoLimiter(endpoint, LIMIT),
        retry_policy=RetryPolicy(),
    )


if __name__ == "__main__":
    measure(ReachLines("runs_crowd"))

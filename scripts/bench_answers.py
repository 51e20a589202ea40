"""How long a search takes inside the app's process, from the question's text to its passages."""

import itertools
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median, quantiles

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.server.library import Library
from scripts.reach_lines import ReachLines

LIGHT_WORK = {"event": "utterance", "texts": ["库存预占在下单时建立", "stock is reserved"] * 20}
PAUSE_SECONDS = 0.005


def measure_answers(
    lines: ReachLines, library: Library, warm_up: Sequence[str], questions: Sequence[str]
) -> None:
    """Print retrieve_p95_ms over distinct questions, each to one role in turn."""
    roles = itertools.cycle(AGENT_NAMES)
    for question in warm_up:
        for agent_name in AGENT_NAMES:
            library.search(agent_name, question)
    milliseconds: list[float] = []
    with light_work():
        for question, agent_name in zip(questions, roles, strict=False):
            started = time.perf_counter()
            found = library.search(agent_name, question)
            milliseconds.append((time.perf_counter() - started) * 1000)
            assert found.passages, question
            assert not found.degraded, found.degraded
    p95 = quantiles(milliseconds, n=100, method="inclusive")[94]
    lines.note(f"{len(milliseconds)} searches: median {median(milliseconds):.0f} ms")
    lines.at_most("retrieve_p95_ms", p95, 300, places=0)


@contextmanager
def light_work() -> Iterator[None]:
    """A second thread that holds the interpreter now and then, as a page that draws does."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(PAUSE_SECONDS):
            for _ in range(10):
                json.loads(json.dumps(LIGHT_WORK))

    worker = threading.Thread(target=work, name="light-work", daemon=True)
    worker.start()
    try:
        yield
    finally:
        is_over.set()
        worker.join()

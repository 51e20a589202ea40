"""The background work on the knowledge: files to words, words to vectors, one change of models."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import get_table_name
from meetmind.database.removal import empty_agent_table
from meetmind.i18n.document_notes import ReadingFailure
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.initializer import (
    KnowledgeBase,
    SeedReport,
    build_agents_tables,
    reset_agent_db,
)
from meetmind.knowledge.source_files import SeedFile
from meetmind.knowledge.vectors import VectorFilling

IngestionState = Literal["idle", "reading", "embedding", "ready", "failed"]
CLOSING_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.5

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class IngestionProgress:
    """How far the background work on the knowledge is."""

    state: IngestionState = "idle"
    done: int = 0
    total: int = 0
    current: str = ""
    """The file (while reading) or the role (while embedding) that is at work."""
    model: str = ""
    """The embedding model that is at work."""
    failures: tuple[ReadingFailure, ...] = ()
    """One a file that could not be read, and one without a place if vectors are not to be had."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IngestionParts:
    """What the background work works with."""

    base: KnowledgeBase
    models: EmbeddingModels
    wanted_models: Callable[[], tuple[str, ...]]
    make_models: Callable[[tuple[str, ...]], list[str]]
    """Makes the models that come with the installation; one sentence for what cannot be made."""


class IngestionWorker:
    """One thread that reads and one that fills in vectors meanwhile, at most one pair at a time."""

    def __init__(self, parts: IngestionParts) -> None:
        self._parts = parts
        self._progress = IngestionProgress()
        self._progress_lock = threading.Lock()
        self._reading = threading.Lock()
        self._is_read = threading.Event()
        self._has_more_words = threading.Event()
        """Set when a file was read since the last look for passages without vectors."""
        self._worker: threading.Thread | None = None
        self._is_wanted_again = False
        self._roles_to_empty: set[str] = set()
        self._worker_lock = threading.Lock()
        self._stop = threading.Event()

    @property
    def progress(self) -> IngestionProgress:
        """How far the work is."""
        return self._progress

    def start(self) -> None:
        """Read what is new or changed and fill in vectors, in the background; once at a time.

        Asked for while it runs, it looks once more when it is done.
        """
        with self._worker_lock:
            if self._worker is not None:
                self._is_wanted_again = True
                return
            self._stop.clear()
            self._report(state="reading", done=0, total=0, current="", model="", failures=())
            self._worker = threading.Thread(
                target=self._work, name="meetmind-ingestion", daemon=True
            )
            self._worker.start()

    def start_anew(self, agent_name: str) -> None:
        """As `start`, with a role's table emptied before its files are read."""
        with self._worker_lock:
            self._roles_to_empty.add(agent_name)
        self.start()

    def reset(self, agent_name: str) -> SeedReport:
        """Empty a role's table and read its files again; vectors follow with `start`."""
        with self._reading:
            return reset_agent_db(self._parts.base, agent_name)

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait for the work, for the command line and tests; False when it goes on."""
        worker = self._worker
        if worker is None:
            return True
        worker.join(seconds)
        return not worker.is_alive()

    def close(self) -> None:
        """Stop the work at the next passage."""
        self._stop.set()
        self.wait_until_idle(CLOSING_SECONDS)
        self._parts.base.reader.close()

    def _work(self) -> None:
        while True:
            final_state = self._work_once()
            with self._worker_lock:
                if not self._is_wanted_again or self._stop.is_set():
                    self._worker = None
                    self._report(state=final_state, current="", model="")
                    return
                self._is_wanted_again = False

    def _work_once(self) -> IngestionState:
        self._is_read.clear()
        self._has_more_words.clear()
        filler = threading.Thread(target=self._fill, name="meetmind-vectors", daemon=True)
        filler.start()
        try:
            self._read_files()
        except Exception as error:  # the end of a thread: nobody else could report it
            if not self._stop.is_set():
                logger.exception("The knowledge could not be brought up to date")
            self._add_failures([ReadingFailure(english=str(error))])
            return "failed"
        finally:
            self._is_read.set()
            self._has_more_words.set()
            filler.join()
        return "ready"

    def _read_files(self) -> None:
        base = self._parts.base
        total = sum(len(base.folders.files_of(agent_name)) for agent_name in AGENT_NAMES)
        self._report(state="reading", done=0, total=total, current="", model="", failures=())
        with self._reading:
            self._empty_roles()
            report_by_agent = build_agents_tables(base, self._on_file)
        self._report(done=total)
        self._add_failures(_all_failures(report_by_agent))

    def _empty_roles(self) -> None:
        with self._worker_lock:
            agent_names = sorted(self._roles_to_empty)
            self._roles_to_empty.clear()
        base = self._parts.base
        for agent_name in agent_names:
            empty_agent_table(base.pool, get_table_name(base.prefix, agent_name))

    def _on_file(self, file: SeedFile) -> None:
        if self._progress.done > 0:
            self._has_more_words.set()
        current = f"{file.agent_name}/{file.source}"
        self._report(done=self._progress.done + 1, current=current)

    def _fill(self) -> None:
        """Fill in vectors while files are read, and once more when all of them are."""
        try:
            self._fill_until_read()
        except Exception as error:  # the end of a thread: nobody else could report it
            if not self._stop.is_set():
                logger.exception("Vectors could not be filled in")
                self._add_failures([ReadingFailure(english=str(error))])

    def _fill_until_read(self) -> None:
        parts = self._parts
        wanted = parts.wanted_models()
        problems = parts.make_models(wanted)
        problems.extend(parts.models.choose(wanted))
        round_problems: list[str] = []
        is_last_round = False
        has_found_some = True
        while not is_last_round and not self._stop.is_set():
            # Where the files bring nothing new, looking after each of them would be idle work.
            awaited = self._has_more_words if has_found_some else self._is_read
            awaited.wait(LOOK_AGAIN_SECONDS)
            self._has_more_words.clear()
            is_last_round = self._is_read.is_set()
            filling = VectorFilling(
                parts.base.pool,
                [get_table_name(parts.base.prefix, agent_name) for agent_name in AGENT_NAMES],
                parts.models,
                on_passages=self._on_passages,
                is_stopped=self._stop.is_set,
            )
            round_problems = filling.run()
            has_found_some = filling.total > 0
        sentences = (*problems, *round_problems)
        self._add_failures([ReadingFailure(english=sentence) for sentence in sentences])
        if not self._stop.is_set():
            parts.models.finish_change()

    def _on_passages(self, model: str, table_name: str, done: int, total: int) -> None:
        agent_name = table_name.removeprefix(f"{self._parts.base.prefix}_")
        if total and self._is_read.is_set():
            self._report(state="embedding", done=done, total=total, current=agent_name, model=model)

    def _add_failures(self, failures: list[ReadingFailure]) -> None:
        with self._progress_lock:
            failure_by_text = {
                str(failure): failure for failure in (*self._progress.failures, *failures)
            }
            self._progress = replace(self._progress, failures=tuple(failure_by_text.values()))

    def _report(self, **changes: object) -> None:
        with self._progress_lock:
            self._progress = replace(self._progress, **changes)  # type: ignore[arg-type]


def _all_failures(report_by_agent: dict[str, SeedReport]) -> list[ReadingFailure]:
    failures: list[ReadingFailure] = []
    for report in report_by_agent.values():
        failures.extend(report.failures)
    return failures

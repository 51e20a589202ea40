"""The composition root: settings in, every service of the installation out."""

import logging
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from meetmind.config.settings import Settings
from meetmind.database.startup import OpenDatabase, open_database
from meetmind.knowledge.intent_classifier import IntentClassifier
from meetmind.server.accounts import Accounts
from meetmind.server.approvals import Approvals
from meetmind.server.compaction import Compaction
from meetmind.server.discussions import Discussions
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.knowledge_editing import KnowledgeEditing
from meetmind.server.library import Library
from meetmind.server.mcp_servers import McpServers
from meetmind.server.memory import Memory
from meetmind.server.models import Models
from meetmind.server.passage_maps import PassageMaps
from meetmind.server.questions import Questions
from meetmind.server.recall import Recall
from meetmind.server.searches import Searches
from meetmind.server.workspaces import Workspaces
from meetmind.tracing.recorder import SpanRecorder

if TYPE_CHECKING:
    from meetmind.server.execution import LocalExecutor

logger = logging.getLogger(__name__)

WARM_UP_STEP_SECONDS = 10.0
TOOLS_SECONDS = 12.0
"""A run begins without the tools of servers that have not answered by then."""


class Services:
    """Everything that the front doors call; one a process."""

    def __init__(self, settings: Settings, database: OpenDatabase) -> None:
        self.settings = settings
        self.accounts = Accounts(database.pool)
        self.memory = Memory(database.pool)
        self.library = Library(database.pool, settings)
        self.knowledge = KnowledgeEditing(database.pool, self.library)
        self.searches = Searches(database.pool, self.library)
        self.maps = PassageMaps(database.pool, self.library)
        self.models = Models(settings)
        self.discussions = Discussions(database.pool, self._end_runs_of)
        self.approvals = Approvals(database.pool, settings.approval_expires_minutes)
        self.questions = Questions(database.pool)
        self.workspaces = Workspaces(database.pool, settings.meetmind_home)
        self.mcp = McpServers(database.pool, settings)
        self.compaction = Compaction(database.pool, settings, self.models, self._running_loop)
        self._recall = Recall(database.pool, self.library.message_embedder)
        self._spans = SpanRecorder(database.pool)
        self._classifier = IntentClassifier(
            model_name=settings.intent_model_name, model_folder=settings.embedding_cache_dir
        )
        self._database = database
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._warming: threading.Thread | None = None

    @property
    def execution(self) -> "LocalExecutor":
        """Starts and stops runs; made at first use, since LangGraph takes seconds to import."""
        with self._lock:
            return self._execution

    @cached_property
    def _execution(self) -> "LocalExecutor":
        from meetmind.server.execution import LocalExecutor
        from meetmind.server.run_parts import ExecutionParts
        from meetmind.tools.net_auth import NetAuthority
        from meetmind.tools.tool_register import ToolRegister, all_tools

        parts = ExecutionParts(
            settings=self.settings,
            pool=self._database.pool,
            conninfo=self._database.conninfo,
            models=self.models,
            search=self.library.search_for_role,
            classify=self._classifier.classify,
            register=lambda: ToolRegister(all_tools),
            spans=self._spans,
            net=NetAuthority(),
            wait_for_tools=lambda: self.mcp.wait_until_ready(TOOLS_SECONDS),
            recall=self._recall,
        )
        self.mcp.connect(self._loop)
        return LocalExecutor(parts, self._loop)

    @cached_property
    def _loop(self) -> EventLoopThread:
        return EventLoopThread()

    def _running_loop(self) -> EventLoopThread:
        """The loop of the runs; whoever asks for it has the executor made, which stops it."""
        with self._lock:
            _ = self._execution
            return self._loop

    def _end_runs_of(self, owner_id: str, session_id: str) -> None:
        self.execution.forget_session(owner_id, session_id)

    def warm_up(self) -> None:
        """Read seeds and load what the first discussion needs, in the background."""
        self._warming = threading.Thread(target=self._warm_up, name="meetmind-warm-up", daemon=True)
        self._warming.start()

    def _warm_up(self) -> None:
        steps = (
            self.library.start_ingestion,
            lambda: self.execution,
            self._classifier.warm_up,
            self.library.start_loading_model,
            self._recall.start,
        )
        for step in steps:
            if self._closing.is_set():
                return
            step()
        logger.info("Ready to discuss.")

    def close(self) -> None:
        """Cut running runs off (they can be resumed), then leave the database."""
        self._closing.set()
        if self._warming is not None:
            # A library whose import is broken off by the end of the process complains loudly.
            self._warming.join(WARM_UP_STEP_SECONDS)
        if "_execution" in self.__dict__:
            self._execution.close()
        self.mcp.close()
        self._recall.close()
        self._spans.close()
        self.maps.close()
        self.library.close()
        self._database.close()


def open_services(settings: Settings) -> Services:
    """Open the database, make the first account and begin the background work.

    Raises `DatabaseError` with one plain sentence.
    """
    services = Services(settings, open_database(settings))
    services.accounts.ensure_first_account()
    services.warm_up()
    return services


def close_services(services: Services) -> None:
    """The end of the process, or of a test."""
    services.close()

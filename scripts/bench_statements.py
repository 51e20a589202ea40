"""How long the statements of a search take on a large table, against each other and a scan."""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from psycopg import sql
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import with_tables
from meetmind.database.embedding_columns import vector_literal
from meetmind.knowledge import late_rung, table_search
from meetmind.server.library import Library
from scripts.reach_lines import ReachLines

ROUNDS = 7
AGENT_NAME = "architect"
SCAN_DEPTH = 50
STATEMENT_MODULES = {
    "list_aliases": table_search,
    "look_up_terms": table_search,
    "recall_passages": table_search,
    "seen_passages": late_rung,
}
"""The functions that a search sends its statements through, and who calls them."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of one of the functions, as the search made it."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def repeat(self) -> None:
        self.function(*self.arguments, **self.options)

    @property
    def legs(self) -> "list[Call]":
        """For the recall: each of its paths alone."""
        alone: list[Call] = []
        if self.options["words"] is not None:
            alone.append(replace(self, options={**self.options, "vectors": ()}))
        for leg in self.options["vectors"]:
            alone.append(replace(self, options={**self.options, "words": None, "vectors": (leg,)}))
        return alone


@dataclass(frozen=True, kw_only=True)
class RecallTimes:
    """Milliseconds of one question's recall, and of its paths run one by one."""

    hybrid: float
    legs: tuple[float, ...]


def measure_statements(
    lines: ReachLines,
    pool: ConnectionPool,
    library: Library,
    questions: Sequence[str],
    misspelled: Sequence[str],
) -> None:
    """Print hybrid_vs_legs, slowest_vs_scan and rerank_vs_hybrid."""
    calls = [calls_of(library, question) for question in questions]
    recalls = [recall_times(one["recall_passages"][0]) for one in calls]
    share_of_sum = [times.hybrid / sum(times.legs) for times in recalls]
    hybrid = statistics.median(times.hybrid for times in recalls)
    lines.note(f"recall by all paths: {hybrid:.1f} ms, legs alone: {legs_told(recalls)}")
    lines.at_most("hybrid_vs_legs", statistics.median(share_of_sum), 1.25)
    misspelled_calls = [calls_of(library, question) for question in misspelled]
    milliseconds_by_name = statement_times([*calls, *misspelled_calls])
    milliseconds_by_name["look_up_terms"] = statement_times(misspelled_calls)["look_up_terms"]
    scan = scan_time(pool, library.table_name(AGENT_NAME), calls)
    told = ", ".join(f"{name} {value:.1f}" for name, value in milliseconds_by_name.items())
    lines.note(f"milliseconds a statement: {told}; exact scan {scan:.1f}")
    lines.at_most("slowest_vs_scan", max(milliseconds_by_name.values()) / scan, 3)
    measure_rerank(lines, library, questions, hybrid)


def calls_of(library: Library, question: str) -> dict[str, list[Call]]:
    """The statements of one search, by the name of their function."""
    calls_by_name: dict[str, list[Call]] = {}
    with ExitStack() as stack:
        spies = {}
        for name, module in STATEMENT_MODULES.items():
            function = getattr(module, name)
            spy = stack.enter_context(patch.object(module, name, wraps=function))
            spies[name] = (function, spy)
        library.search(AGENT_NAME, question)
    for name, (function, spy) in spies.items():
        calls_by_name[name] = []
        for made in spy.call_args_list:
            call = Call(name=name, function=function, arguments=made.args, options=made.kwargs)
            calls_by_name[name].append(call)
    return calls_by_name


def recall_times(recall: Call) -> RecallTimes:
    """The medians over several rounds, in which the hybrid and its legs take turns."""
    legs = recall.legs
    recall.repeat()
    hybrid: list[float] = []
    alone: list[list[float]] = []
    for _ in range(ROUNDS):
        hybrid.append(milliseconds_of(recall.repeat))
        alone.append([milliseconds_of(leg.repeat) for leg in legs])
    leg_medians = [statistics.median(times) for times in zip(*alone, strict=True)]
    return RecallTimes(hybrid=statistics.median(hybrid), legs=tuple(leg_medians))


def legs_told(recalls: Sequence[RecallTimes]) -> str:
    """The legs of the questions with the most of them; for the note."""
    most = max(len(times.legs) for times in recalls)
    full = [times.legs for times in recalls if len(times.legs) == most]
    medians = [statistics.median(times) for times in zip(*full, strict=True)]
    return " + ".join(f"{median:.1f}" for median in medians)


def statement_times(
    calls_by_question: Sequence[dict[str, list[Call]]],
) -> dict[str, float]:
    """The median over the questions of each statement's median over several rounds."""
    milliseconds_by_name: dict[str, float] = {}
    for name in STATEMENT_MODULES:
        medians: list[float] = []
        for calls in calls_by_question:
            for call in calls[name]:
                call.repeat()
                rounds = [milliseconds_of(call.repeat) for _ in range(ROUNDS)]
                medians.append(statistics.median(rounds))
        milliseconds_by_name[name] = statistics.median(medians)
    return milliseconds_by_name


NO_INDEX = """
set local enable_indexscan = off;
set local enable_bitmapscan = off
"""

SCAN = sql.SQL("""
select number
from {passages}
order by embedding_e5 <=> %(vector)s::halfvec
limit %(depth)s
""")


def scan_time(
    pool: ConnectionPool, table_name: str, calls_by_question: Sequence[dict[str, list[Call]]]
) -> float:
    """Milliseconds of an exact search over every row, the median over the same questions."""
    statement = with_tables(SCAN, table_name)
    medians: list[float] = []
    with pool.connection() as connection:
        connection.execute(NO_INDEX, prepare=False)
        for calls in calls_by_question:
            leg = calls["recall_passages"][0].options["vectors"][-1]
            parameters = {"vector": vector_literal(leg.vector), "depth": SCAN_DEPTH}

            def scan(parameters: dict[str, object] = parameters) -> None:
                connection.execute(statement, parameters).fetchall()

            scan()
            medians.append(statistics.median(milliseconds_of(scan) for _ in range(ROUNDS)))
    return statistics.median(medians)


def measure_rerank(
    lines: ReachLines, library: Library, questions: Sequence[str], hybrid: float
) -> None:
    """Print rerank_vs_hybrid: the stage as the search itself timed it, against one recall."""
    medians: list[float] = []
    for question in questions:
        rounds: list[float] = []
        for _ in range(ROUNDS):
            trace = library.search(AGENT_NAME, question).traces[0]
            for stage in trace.stages:
                if stage.stage == "rerank":
                    rounds.append(stage.milliseconds)
        medians.append(statistics.median(rounds))
    rerank = statistics.median(medians)
    lines.note(f"reranking: {rerank:.1f} ms")
    lines.at_most("rerank_vs_hybrid", rerank / hybrid, 1)


def milliseconds_of(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000

"""Kills a discussion at a point of `meetmind.faults`, resumes it in a fresh process, and looks."""

import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg

from tests.support.forking_parent import ForkingParent
from tests.support.kill_ground import Ground, Remains, faults_of, lines_of, remains_of
from tests.support.kill_trial import Job

PARENTS = 2
LONGEST_RUN_SECONDS = 3.0
UNGUARDED_SECONDS = 15.0
"""How long a run gets that cannot come to its end without a guard."""
WORDS_REACHED = 10
"""How often words arrive depends on the clock; so many times is sure."""


@dataclass(frozen=True, kw_only=True)
class KillCase:
    """When the first process is killed, and perhaps the second: at a point, or after a time."""

    point: str = ""
    """A point, with its detail where it has one; empty with `after`."""
    hit: int = 1
    act: str = "kill"
    after: float | None = None
    again: str = ""
    """The fault of the process that resumes, as a spec; its point need not be reached."""
    without: str = ""
    """A guard of the product that is off in every process."""
    limit: float = 60.0
    """Seconds after which a process of it counts as stuck."""

    @property
    def spec(self) -> str:
        return f"{self.point}={self.act}@{self.hit}" if self.point else ""

    @property
    def name(self) -> str:
        place = self.spec if self.point else f"kill after {self.after:.2f} s"
        return f"{place}, then {self.again}" if self.again else place

    @property
    def breaks_count(self) -> bool:
        """Whether the process goes on after a fault of the one call that nobody can look up."""
        return self.act != "kill" and self.point.endswith(":count")

    @property
    def line(self) -> str:
        """How the point stands in the log of points."""
        return self.point if ":" in self.point else f"{self.point}:"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a case; `faults` is empty when all is well."""

    case: KillCase
    is_hit: bool
    faults: Sequence[str]
    was_unsure: bool
    seconds: float

    @property
    def is_well(self) -> bool:
        return self.is_hit and not self.faults


def undisturbed(ground: Ground, parent: ForkingParent) -> Remains:
    """The same discussion, left in peace."""
    with ground.plot() as job:
        ended = parent.run(job)
        assert ended.is_well, child_words(job)
        left = remains_of(job)
        wrong = faults_of(left, left)
        assert not wrong, (wrong, child_words(job))
    return left


def every_point(left: Remains) -> list[KillCase]:
    """A case for each point and detail that the undisturbed discussion reaches, first and last."""
    cases = []
    for line, times in sorted(left.reached.items()):
        point = line.removesuffix(":")
        last = min(times, WORDS_REACHED) if point == "words.waiting" else times
        is_by_the_clock = line.endswith(":words_arrived")
        cases.append(KillCase(point=point))
        if last > 1 and not is_by_the_clock:
            cases.append(KillCase(point=point, hit=last))
    return cases


def random_kills(left: Remains, count: int, seed: int) -> list[KillCase]:
    """Kills at random points and moments; every third one kills the resuming process as well."""
    chance = random.Random(seed)
    points = [line for line in sorted(left.reached) if not line.endswith(":words_arrived")]
    cases = []
    for number in range(count):
        again = _random_place(chance, left, points).spec if number % 3 == 0 else ""
        if number % 2 == 0:
            cases.append(replace(_random_place(chance, left, points), again=again))
        else:
            after = chance.uniform(0.05, LONGEST_RUN_SECONDS)
            cases.append(KillCase(after=after, again=again))
    return cases


def _random_place(chance: random.Random, left: Remains, points: Sequence[str]) -> KillCase:
    line = chance.choice(points)
    times = WORDS_REACHED if line == "words.waiting:" else left.reached[line]
    return KillCase(point=line.removesuffix(":"), hit=chance.randint(1, times))


def play(ground: Ground, parent: ForkingParent, case: KillCase, expected: Remains) -> Outcome:
    """Begin, kill, resume to the end, compare with the discussion that was left in peace."""
    began = time.monotonic()
    with ground.plot() as plain:
        job = replace(plain, without=case.without, limit=case.limit)
        first = parent.run(replace(job, spec=case.spec, kill_after=case.after))
        is_hit = not case.point or lines_of(Path(job.log)).count(case.line) >= case.hit
        is_unsure = has_open_call(job, "count") or case.breaks_count
        if case.again:
            parent.run(replace(job, spec=case.again))
            is_unsure = is_unsure or has_open_call(job, "count")
        ended = parent.run(job)
        left = remains_of(job)
        wrong = faults_of(left, expected, may_be_unsure=is_unsure)
        if case.point and case.act == "kill" and first.signal == 0:
            wrong.append("it was not killed")
        if first.is_late:
            wrong.append("it did not come to its end")
        if not ended.is_well:
            wrong.append(f"the resuming process: {ended} {child_words(job)[-600:]}")
    seconds = time.monotonic() - began
    return Outcome(
        case=case, is_hit=is_hit, faults=wrong, was_unsure=bool(left.asked_again), seconds=seconds
    )


def has_open_call(job: Job, tool: str) -> bool:
    """Whether a call of this tool had been claimed and not ended when the process was killed."""
    with psycopg.connect(job.database_url) as connection:
        found = connection.execute(
            "select 1 from tool_executions where tool = %s and status = 'started'", [tool]
        ).fetchone()
    return found is not None


def child_words(job: Job) -> str:
    return "\n".join(lines_of(Path(job.home) / "child.log"))


def play_all(
    ground: Ground,
    cases: Iterable[KillCase],
    expected: Remains,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Play the cases two at a time, each in its own database."""
    waiting: queue.SimpleQueue[KillCase] = queue.SimpleQueue()
    for case in cases:
        waiting.put(case)
    outcomes: list[Outcome] = []
    telling = threading.Lock()

    def work(parent: ForkingParent) -> None:
        while True:
            try:
                case = waiting.get_nowait()
            except queue.Empty:
                return
            outcome = play(ground, parent, case, expected)
            with telling:
                outcomes.append(outcome)
                tell(outcome)

    with ExitStack() as stack:
        parents = [stack.enter_context(ForkingParent()) for _ in range(PARENTS)]
        workers = [threading.Thread(target=work, args=(parent,)) for parent in parents]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return outcomes

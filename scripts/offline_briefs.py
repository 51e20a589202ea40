"""Measures the offline model on the hand-labelled briefs, through the real graph and retrieval.

    python -m scripts.offline_briefs                 # every check, one emptied table a brief
    python -m scripts.offline_briefs --talk          # and print what was said
    python -m scripts.offline_briefs --home FOLDER   # keep the database there for the next time

Prints one line a brief and ends with `offline_briefs: passed/all`.
"""

import argparse
import itertools
import json
import logging
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.database.agent_tables import get_table_name
from meetmind.database.removal import empty_agent_table
from meetmind.events import (
    DiscussionEvent,
    GuardActed,
    HandedOver,
    PassageEvidence,
    RunEnded,
    ToolFinished,
    UtteranceEnded,
)
from meetmind.llm.chat_models import offline_client
from meetmind.server.services import Services, close_services, open_services

BRIEFS = PROJECT_ROOT / "tests" / "data" / "offline_briefs.json"
CONTRADICTIONS = PROJECT_ROOT / "tests" / "data" / "contradictions.json"
MOST_TURNS = 12
LEAST_FOUND = 0.8
LEAST_ORDERS_OF_TWELVE = 8
MOST_OVERLAP = 0.5
INGESTION_SECONDS = 900.0
RUN_SECONDS = 120.0
NOTHING = {
    "en": re.compile(r"holds? nothing|own table holds nothing|hold nothing"),
    "zh": re.compile(r"资料库里(?:也)?没有"),
}


@dataclass(frozen=True, kw_only=True)
class PlayedRun:
    """What one run left in the log."""

    utterances: tuple[UtteranceEnded, ...]
    found: dict[str, PassageEvidence]
    end: RunEnded
    guards: tuple[str, ...]
    """The rules that stepped in; an honest discussion needs none."""
    seconds: float

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(utterance.agent_name for utterance in self.utterances)

    @property
    def handovers(self) -> list[tuple[str, str, str]]:
        """Who handed over to whom, and why."""
        return [
            (utterance.agent_name, utterance.next_agent, utterance.handover_reason)
            for utterance in self.utterances
        ]

    @property
    def cited_ids(self) -> set[str]:
        return {cited for utterance in self.utterances for cited in utterance.cited_ids}


@dataclass(kw_only=True)
class Verdict:
    """What a brief fails, in words; nothing means that it passes."""

    brief_id: str
    faults: list[str]
    order: tuple[str, ...]
    cited_ids: set[str]


def main() -> int:
    options = read_options()
    logging.basicConfig(level=logging.WARNING)
    passed, total = judge_all(options)
    return 0 if passed == total else 1


def judge_all(options: argparse.Namespace) -> tuple[int, int]:
    """How many of the briefs pass every check; each fault is printed."""
    briefs = json.loads(BRIEFS.read_text(encoding="utf-8"))
    with open_installation(options.home) as services:
        verdicts = []
        for number, brief in enumerate(briefs):
            if options.only and brief["id"] not in options.only:
                continue
            emptied = [AGENT_NAMES[number % len(AGENT_NAMES)]]
            if options.every_table:
                emptied = AGENT_NAMES
            verdicts.append(judge(services, brief, emptied, show_talk=options.talk))
    judge_together(verdicts)
    passed = sum(1 for verdict in verdicts if not verdict.faults)
    for verdict in verdicts:
        for fault in verdict.faults:
            print(f"  {verdict.brief_id}: {fault}")
    print(f"offline_briefs: {passed}/{len(verdicts)}", flush=True)
    return passed, len(verdicts)


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--talk", action="store_true", help="print what was said")
    parser.add_argument("--every-table", action="store_true", help="empty each role's table once")
    parser.add_argument("--home", type=Path, help="where the database is kept")
    parser.add_argument("--only", nargs="*", default=[], help="ids of briefs")
    options: argparse.Namespace = parser.parse_args(arguments)
    return options


@contextmanager
def open_installation(home: Path | None) -> Iterator[Services]:
    """Services on an embedded database with all seeds read, without pauses between words."""
    with tempfile.TemporaryDirectory(prefix="meetmind-briefs-") as scratch:
        settings = Settings(meetmind_home=home or Path(scratch))
        services = open_services(settings)
        try:
            services.library.start_ingestion()
            if not services.library.wait_until_idle(INGESTION_SECONDS):
                raise SystemExit("The seeds were not read in time.")
            client = offline_client()
            client.model.chunk_delay_seconds = 0.0  # type: ignore[attr-defined]
            services.models.use_client(client)
            yield services
        finally:
            close_services(services)


def judge(services: Services, brief: dict[str, Any], emptied: str, *, show_talk: bool) -> Verdict:
    """All checks that need one brief alone."""
    run = play(services, brief)
    faults = [
        *faults_of_course(run, brief["language"]),
        *faults_of_findings(run, brief),
        *faults_of_objections(run, brief),
    ]
    report(brief["id"], run, brief)
    if show_talk:
        print_talk(run)
    for agent_name in emptied:
        with emptied_table(services, agent_name):
            silent_run = play(services, brief)
        faults.extend(faults_of_silence(run, silent_run, agent_name, brief["language"]))
        print(f"    without {agent_name}: {' '.join(silent_run.order)}")
    return Verdict(brief_id=brief["id"], faults=faults, order=run.order, cited_ids=run.cited_ids)


def play(services: Services, brief: dict[str, Any]) -> PlayedRun:
    """Run the brief with the team, approving what waits, and read the log."""
    owner = services.accounts.local_person().id
    session_id = services.discussions.create_session(owner, brief["id"])
    started = time.monotonic()
    run_id = services.execution.start_run(owner, session_id, brief["brief"], "team")
    while True:
        for call in services.execution.pending_calls(owner, session_id):
            services.execution.decide(owner, call.run_id, call.call_id, "approved")
        logged = services.discussions.events_after(owner, run_id, 0)
        ends = [item.event for item in logged if isinstance(item.event, RunEnded)]
        if ends:
            break
        if time.monotonic() - started > RUN_SECONDS:
            raise SystemExit(f"{brief['id']}: the run did not end")
        time.sleep(0.05)
    events = [item.event for item in logged]
    found: dict[str, PassageEvidence] = {}
    for event in events:
        if isinstance(event, ToolFinished):
            for passage in event.evidence:
                found[passage.passage_id] = passage
    return PlayedRun(
        utterances=tuple(event for event in events if isinstance(event, UtteranceEnded)),
        found=found,
        end=ends[0],
        guards=guards_in(events),
        seconds=time.monotonic() - started,
    )


def guards_in(events: Sequence[DiscussionEvent]) -> tuple[str, ...]:
    guards = []
    for event in events:
        if isinstance(event, GuardActed) or (isinstance(event, HandedOver) and event.guard):
            guards.append(event.guard)
    return tuple(guards)


@contextmanager
def emptied_table(services: Services, agent_name: str) -> Iterator[None]:
    """One role knows nothing for a while."""
    pool = services.library._pool
    table_name = get_table_name(services.settings.pg_table_prefix, agent_name)
    empty_agent_table(pool, table_name)
    try:
        yield
    finally:
        services.library.reset(agent_name)
        services.library.wait_until_idle(INGESTION_SECONDS)


def faults_of_course(run: PlayedRun, language: str) -> list[str]:
    """The end, the number of turns, and that every utterance stands on its own table."""
    faults = []
    if run.end.reason != "closed_by_architect":
        faults.append(f"ended by {run.end.reason}")
    if run.guards:
        faults.append(f"guards acted: {', '.join(run.guards)}")
    if len(run.utterances) > MOST_TURNS:
        faults.append(f"{len(run.utterances)} turns")
    for utterance in run.utterances:
        own = [cited for cited in utterance.cited_ids if cited.startswith(utterance.agent_name)]
        if not own and not says_nothing(utterance, language):
            faults.append(f"{utterance.agent_name} cites nothing of its own and does not say so")
        if utterance.removed_citations:
            faults.append(f"{utterance.agent_name} cites what no tool returned")
    return faults


def faults_of_findings(run: PlayedRun, brief: dict[str, Any]) -> list[str]:
    """The labelled passages that were found, and the roles that own one."""
    faults = []
    hits = found_labels(run, brief)
    share = sum(hits) / len(hits)
    if share < LEAST_FOUND:
        faults.append(f"found {share:.2f} of the labelled passages")
    owners = {label["agent"] for label in brief["passages"]}
    unheard = owners - set(run.order)
    if unheard:
        faults.append(f"never spoke: {sorted(unheard)}")
    return faults


def found_labels(run: PlayedRun, brief: dict[str, Any]) -> list[bool]:
    hits = []
    for label in brief["passages"]:
        hits.append(any(is_labelled(passage, label) for passage in run.found.values()))
    return hits


def is_labelled(passage: PassageEvidence, label: dict[str, str]) -> bool:
    return passage.agent_name == label["agent"] and plain(label["phrase"]) in plain(passage.content)


def plain(text: str) -> str:
    return re.sub(r"[\s`*]", "", text).lower()


def faults_of_objections(run: PlayedRun, brief: dict[str, Any]) -> list[str]:
    """Every planted contradiction that the brief touches is objected to in one utterance."""
    side_by_id = {
        planted["id"]: planted["sides"]
        for planted in json.loads(CONTRADICTIONS.read_text(encoding="utf-8"))
    }
    faults = []
    for planted_id in brief["contradictions"]:
        sides = side_by_id[planted_id]
        if not any(objects_to(utterance, sides) for utterance in run.utterances):
            faults.append(f"{planted_id} is not objected to")
    return faults


def objects_to(utterance: UtteranceEnded, sides: Sequence[dict[str, str]]) -> bool:
    """The utterance objects and cites the passages of both sides."""
    objected = any(stance.stance == "object" for stance in utterance.stances)
    cited = [
        any(
            passage.agent_name == side["agent"]
            and plain(side["sentence"]) in plain(passage.content)
            for passage in utterance.evidence
        )
        for side in sides
    ]
    return objected and all(cited)


def faults_of_silence(
    run: PlayedRun, silent_run: PlayedRun, emptied: str, language: str
) -> list[str]:
    """With one table emptied exactly that role says so, and the hand-overs change."""
    faults = []
    silent_before = silent_roles(run, language)
    silent = silent_roles(silent_run, language)
    if silent - silent_before != {emptied}:
        faults.append(f"with {emptied} emptied these say that they hold nothing: {sorted(silent)}")
    if silent_before:
        faults.append(f"hold nothing with full tables: {sorted(silent_before)}")
    if silent_run.handovers == run.handovers:
        faults.append(f"with {emptied} emptied the hand-overs stay the same")
    return faults


def silent_roles(run: PlayedRun, language: str) -> set[str]:
    """The roles that say of their whole table that it holds nothing."""
    silent = set()
    for utterance in run.utterances:
        own = [cited for cited in utterance.cited_ids if cited.startswith(utterance.agent_name)]
        if not own and says_nothing(utterance, language):
            silent.add(utterance.agent_name)
    return silent


def says_nothing(utterance: UtteranceEnded, language: str) -> bool:
    return NOTHING[language].search(utterance.content) is not None


def judge_together(verdicts: Sequence[Verdict]) -> None:
    """What only shows when briefs are compared: speaking orders and shared passages."""
    orders = {verdict.order for verdict in verdicts}
    least = min(LEAST_ORDERS_OF_TWELVE, len(verdicts) * LEAST_ORDERS_OF_TWELVE / 12)
    print(f"{len(orders)} speaking orders among {len(verdicts)} briefs")
    if len(orders) < least:
        verdicts[0].faults.append(f"only {len(orders)} speaking orders")
    for one, other in itertools.combinations(verdicts, 2):
        smaller = min(len(one.cited_ids), len(other.cited_ids)) or 1
        overlap = len(one.cited_ids & other.cited_ids) / smaller
        if overlap > MOST_OVERLAP:
            other.faults.append(f"shares {overlap:.2f} of its passages with {one.brief_id}")


def report(brief_id: str, run: PlayedRun, brief: dict[str, Any]) -> None:
    hits = found_labels(run, brief)
    print(
        f"{brief_id}: {len(run.utterances)} turns, {run.seconds:.1f} s, found "
        f"{sum(hits)}/{len(hits)} labelled among {len(run.found)}, cited {len(run.cited_ids)}, "
        f"order {' '.join(run.order)}"
    )
    for label, hit in zip(brief["passages"], hits, strict=True):
        if not hit:
            print(f"    not found: {label['agent']}: {label['phrase']}")


def print_talk(run: PlayedRun) -> None:
    for utterance in run.utterances:
        to_whom = utterance.next_agent or "the end"
        print(f"\n== {utterance.agent_name} -> {to_whom}: {utterance.handover_reason}")
        print(utterance.content)
        for stance in utterance.stances:
            print(f"   [{stance.point_id} {stance.stance}: {stance.why}]")
    print()


if __name__ == "__main__":
    sys.exit(main())

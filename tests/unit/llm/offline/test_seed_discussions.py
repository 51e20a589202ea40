"""Discussions on the seed documents, with a plain word search in place of the real retrieval."""

import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.offline_meeting import Meeting
from tests.support.seed_passages import seed_passages

BRIEFS = Path(__file__).resolve().parents[3] / "data" / "offline_briefs.json"

pytestmark = pytest.mark.skipif(not seed_passages(), reason="the seed documents are not there")


@cache
def played() -> dict[str, Meeting]:
    """A part of the briefs: the whole measurement is scripts/offline_briefs.py."""
    briefs: list[dict[str, Any]] = json.loads(BRIEFS.read_text(encoding="utf-8"))
    meetings = {}
    for brief in briefs[::3]:
        meetings[brief["id"]] = Meeting(
            passages=seed_passages(), brief=brief["brief"], language=brief["language"]
        ).play()
    return meetings


def test_every_brief_is_closed_by_the_architect_within_twelve_turns() -> None:
    for brief_id, meeting in played().items():
        assert meeting.utterances[-1].output["done"], brief_id
        assert meeting.order[-1] == "architect", brief_id
        assert len(meeting.order) <= 12, brief_id


def test_orders_and_passages_differ_from_brief_to_brief() -> None:
    meetings = list(played().values())
    orders = {tuple(meeting.order) for meeting in meetings}
    assert len(orders) >= len(meetings) * 8 / 12
    for one, other in itertools.combinations(meetings, 2):
        cited_by_one, cited_by_other = cited_ids(one), cited_ids(other)
        smaller = min(len(cited_by_one), len(cited_by_other))
        assert len(cited_by_one & cited_by_other) <= smaller / 2


def cited_ids(meeting: Meeting) -> set[str]:
    return {passage.passage_id for spoken in meeting.utterances for passage in spoken.cited}

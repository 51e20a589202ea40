"""The odd-document set: nothing crashes, hangs or is garbled."""

from tests.support.odd_documents import judge_all
from tests.support.odd_sets import honest_documents, hostile_documents

FEWEST_HOSTILE = 120
FEWEST_HONEST = 40


def test_every_odd_document_is_read_noted_or_refused_as_it_must_be() -> None:
    verdict = judge_all()

    assert verdict.faults == []
    assert verdict.hostile_ok == verdict.hostile_total >= FEWEST_HOSTILE
    assert verdict.honest_ok == verdict.honest_total >= FEWEST_HONEST


def test_no_two_odd_documents_have_the_same_name() -> None:
    names = [odd.name for odd in (*hostile_documents(), *honest_documents())]

    assert len(set(names)) == len(names)

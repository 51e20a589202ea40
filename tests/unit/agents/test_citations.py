"""Only what a tool returned may be cited or linked."""

from meetmind.agents.citations import REMOVED_LINK, check_citations
from meetmind.events import PassageEvidence

REAL_ID = "backend_0123456789ab"


def passage(content: str = "Keys are kept for 72 hours.") -> PassageEvidence:
    return PassageEvidence(
        passage_id=REAL_ID,
        agent_name="backend",
        title="Payments",
        source="payments.md",
        locator="Keys",
        language="en",
        content=content,
        rank=1,
        coverage=0.9,
    )


def test_a_true_citation_stays_and_is_listed_once() -> None:
    text = check_citations(f"72 hours [{REAL_ID}], really [{REAL_ID}].", [passage()], [])
    assert text.content.count(REAL_ID) == 2
    assert [cited.passage_id for cited in text.cited] == [REAL_ID]
    assert text.removed == ()


def test_an_invented_citation_is_taken_out_and_noted() -> None:
    text = check_citations("72 hours [tester_ffffffffffff].", [passage()], [])
    assert "tester_" not in text.content
    assert text.removed == ("tester_ffffffffffff",)


def test_a_link_that_no_tool_returned_is_taken_out() -> None:
    text = check_citations("See https://made.up/page.", [passage()], ["nothing here"])
    assert text.content == f"See {REMOVED_LINK}"
    assert text.removed == ("https://made.up/page.",)


def test_a_link_out_of_a_passage_or_the_brief_stays() -> None:
    known = passage("Docs at https://docs.example/a.")
    text = check_citations(
        "See https://docs.example/a and https://brief.example/b.",
        [known],
        ["look at https://brief.example/b"],
    )
    assert text.removed == ()


def test_ordinary_brackets_are_left_alone() -> None:
    text = check_citations("a [note] and [1]", [passage()], [])
    assert text.content == "a [note] and [1]"

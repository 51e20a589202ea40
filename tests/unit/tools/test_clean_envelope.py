from meetmind.events import PassageEvidence
from meetmind.tools.envelope import Envelope, read_envelope_json

BAD = "a\x00b\ud800c"


def test_whatever_a_tool_brings_is_without_bad_characters() -> None:
    evidence = PassageEvidence(
        passage_id="page_0a1b2c3d4e5f",
        agent_name="",
        title=BAD,
        source=BAD,
        locator=BAD,
        language="en",
        content=BAD,
        rank=1,
        coverage=1.0,
        kind="page",
    )
    envelope = Envelope(
        tool="Read",
        status="error",
        request={BAD: [BAD]},
        data={"lines": (BAD, 3)},
        evidence=(evidence,),
        diagnostics={"summary": BAD},
        error_code=BAD,
        error=BAD,
    )
    assert envelope.request == {"abc": ["abc"]}
    assert envelope.data == {"lines": ["abc", 3]}
    assert envelope.summary == "abc"
    passage = envelope.evidence[0]
    assert (passage.title, passage.source, passage.locator, passage.content) == ("abc",) * 4
    assert read_envelope_json(envelope.to_json()) == envelope

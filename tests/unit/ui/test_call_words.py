import pytest

from meetmind.errors import PathRefused, ToolError
from meetmind.tools.path_auth import checked_parts
from meetmind.tools.policy import grant_scope
from meetmind.tools.web.web_address import checked_address
from meetmind.ui.call_words import permission_title, refusal_text, scope_of, wish_text

OTHER = "The policy does not allow this call."
PATHS = ("../a", "/etc/passwd", "@docs/a", "a\u202e.md", ".env", "a/" * 40 + "b", "x" * 300, "")
ADDRESSES = (
    "ftp://example.org",
    "http://localhost",
    "http://a@b.org",
    "http://127.1",
    "http://example.org:81",
)


def test_who_wants_what_is_said_in_plain_words() -> None:
    said = [wish_text("tester", tool, is_plain=True) for tool in ("Write", "web_fetch")]
    assert said[0].endswith("wants to write a file")
    assert said[1].endswith("wants to fetch a page from the web")
    assert "add of notes" in wish_text("tester", "notes__add", is_plain=True)


@pytest.mark.parametrize(
    "address",
    ["https://Example.org/a", "https://a@b.org", "http://[bad", "nonsense", "https://例子.中国/"],
)
def test_a_permission_is_told_as_far_as_it_reaches(address: str) -> None:
    arguments = {"url": address}
    assert scope_of("web_fetch", arguments) == grant_scope("web_fetch", arguments)
    assert scope_of("Edit", {"path": "a"}) == grant_scope("Edit", {"path": "a"})


def test_a_permission_begins_with_a_capital() -> None:
    assert permission_title("AIsearch", "") == "Every web search"


def test_refusals_of_paths_and_addresses_have_a_sentence_of_their_own() -> None:
    reasons = set()
    for path in PATHS:
        with pytest.raises(PathRefused) as refused:
            checked_parts(path)
        reasons.add(refused.value.reason)
    for address in ADDRESSES:
        with pytest.raises(ToolError) as not_fetched:
            checked_address(address)
        reasons.add(not_fetched.value.reason)
    assert len(reasons) > 5
    assert [reason for reason in sorted(reasons) if refusal_text(reason) == OTHER] == []
    assert refusal_text("never_heard_of") == OTHER

"""Files that are attached to a brief and pages that it links to: read first, quoted, cited."""

import json

import pytest

from meetmind.llm.offline.brought import links_in
from meetmind.llm.offline.references import without_references
from tests.support.bike_rental import BRIEF, CHINESE_BRIEF, UNKNOWN_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting, material

NOTES = "# Notes\n\nA rider is told about the refund of the deposit by mail within 2 hours.\n"
CHINESE_NOTES = "押金退款后 2 小时内要给骑手发短信。\n"
PAGE = "https://example.com/callbacks"
OTHER_PAGE = "https://docs.example/callbacks"
PAGE_TEXT = "A provider sends every payment callback again until it is answered with success."


def meeting(brief: str = BRIEF, language: str = "en", **details: object) -> Meeting:
    return Meeting(passages=bike_passages(), brief=brief, language=language, **details)  # type: ignore[arg-type]


def test_a_named_file_is_read_by_the_first_speaker_alone_and_quoted_with_its_id() -> None:
    files = {"in/notes.md": NOTES, "in/other.md": "Something else stands in this file here."}
    played = meeting(f"{BRIEF} See notes.md.", files=files).play()
    assert played.read_calls == [("architect", "Read", {"path": "in/notes.md"})]
    file_id = material("file", "in/notes.md", NOTES).passage_id
    opening = played.utterances[0].content
    assert (
        "in/notes.md: “A rider is told about the refund of the deposit by mail within 2 hours.” "
        f"[{file_id}]"
    ) in opening
    assert f"[{file_id}]" in played.utterances[-1].content


def test_attached_files_that_nobody_named_are_looked_for_first() -> None:
    played = meeting(files={"notes.md": NOTES})
    played.play()
    assert [(tool, arguments) for _, tool, arguments in played.read_calls] == [
        ("list_dir", {"path": "."}),
        ("Read", {"path": "notes.md"}),
    ]
    assert "by mail within 2 hours" in played.utterances[0].content


def test_a_file_that_is_not_there_is_told_plainly() -> None:
    opening = meeting(f"{BRIEF} It is all in plan.md.").play().utterances[0].content
    assert "Not read: plan.md (There is no file 'plan.md')" in opening
    assert "list_dir" not in opening


def test_a_brief_without_files_and_links_reads_nothing() -> None:
    assert meeting().play().read_calls == []


def test_the_architect_asks_for_a_linked_page_with_a_reason_and_quotes_it() -> None:
    played = meeting(f"{BRIEF} See {PAGE}.", pages={PAGE: PAGE_TEXT}).play()
    role, tool, arguments = played.read_calls[0]
    assert (role, tool, arguments["url"]) == ("architect", "web_fetch", PAGE)
    assert arguments["why"]
    page_id = material("page", PAGE, PAGE_TEXT).passage_id
    assert f"Some page: “{PAGE_TEXT}” [{page_id}]" in played.utterances[0].content
    assert len(played.read_calls) == 1


@pytest.mark.parametrize(
    ("brief", "language", "told"),
    [
        (BRIEF, "en", f"The page {PAGE} only leads on to {OTHER_PAGE}."),
        (CHINESE_BRIEF, "zh", f"网页 {PAGE} 没有正文，只是转到 {OTHER_PAGE} 这个地址。"),
    ],
)
def test_a_page_that_leads_elsewhere_is_asked_for_there_and_never_quoted(
    brief: str, language: str, told: str
) -> None:
    pages = {PAGE: f"This page redirects to {OTHER_PAGE}", OTHER_PAGE: PAGE_TEXT}
    played = meeting(f"{brief} {PAGE}", language, pages=pages).play()
    urls = [arguments["url"] for _, _, arguments in played.read_calls]
    assert urls == [PAGE, OTHER_PAGE]
    opening = played.utterances[0].content
    assert told in opening
    page_id = material("page", OTHER_PAGE, PAGE_TEXT).passage_id
    assert f"[{page_id}]" in opening
    for utterance in played.utterances:
        assert "This page redirects" not in utterance.content


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        ("rejected: private", f"Not read: {PAGE} (the person rejected it: private)"),
        ("rejected: ", f"Not read: {PAGE} (the person rejected it)"),
        (
            "refused: This address is not public. Go on without it.",
            f"Not read: {PAGE} (This address is not public)",
        ),
    ],
)
def test_a_page_that_was_not_fetched_is_told_with_the_reason(decision: str, told: str) -> None:
    played = meeting(f"{BRIEF} See {PAGE}.", fetch_decision=decision).play()
    assert told in played.utterances[0].content
    assert played.utterances[-1].output["done"]
    assert f"- {told}" in played.utterances[-1].content
    assert f"- {told}" in played.utterances[-1].written[0]["content"]


def test_in_chinese_as_in_english() -> None:
    brief = f"{CHINESE_BRIEF}见附件 notes.md，另见{PAGE}。"
    played = meeting(brief, "zh", files={"notes.md": CHINESE_NOTES}, fetch_decision="rejected: ")
    opening = played.play().utterances[0].content
    assert "notes.md：“押金退款后 2 小时内要给骑手发短信。”[file_" in opening
    assert f"没有读到：{PAGE}（请求被驳回）" in opening


def test_what_belongs_to_no_role_changes_neither_order_nor_stances() -> None:
    """A file that contradicts a table is quoted, and nobody named "file" is argued with."""
    contrary = "The deposit of a cancelled booking is refunded within 99 days.\n"
    plain = meeting().play()
    with_file = meeting(files={"notes.md": contrary}).play()
    assert with_file.order == plain.order
    assert [u.output["stances"] for u in with_file.utterances] == [
        u.output["stances"] for u in plain.utterances
    ]
    assert all(u.output["next_agent"] != "file" for u in with_file.utterances)


def test_the_summary_lists_what_files_say_and_names_them_as_sources() -> None:
    played = meeting(f"{BRIEF} See notes.md.", files={"notes.md": NOTES}).play()
    markdown = played.utterances[-1].written[0]["content"]
    file_id = material("file", "notes.md", NOTES).passage_id
    assert "## From files and pages\n\n- notes.md: “A rider" in markdown
    assert f"notes.md [{file_id}]" in markdown.partition("## Sources")[2]


def test_a_file_is_quoted_even_where_no_table_knows_anything() -> None:
    files = {"tomatoes.md": "Tomatoes on a balcony need six hours of sun and no frost in winter."}
    played = meeting(UNKNOWN_BRIEF, files=files).play()
    assert played.order == ["architect"]
    assert "six hours of sun" in played.utterances[0].content


def test_a_file_without_the_briefs_words_is_quoted_from_its_beginning() -> None:
    files = {"x.md": "The moon goes round the earth in about four weeks, always.", "y.csv": "a,b\n"}
    opening = meeting(files=files).play().utterances[0].content
    assert "x.md has none of the brief's words in it; it begins: “The moon" in opening
    assert "y.csv holds no sentence that I could quote." in opening


def test_the_assistant_reads_and_fetches_as_well() -> None:
    question = f"How long does the refund of a deposit take? See notes.md and {PAGE}"
    asked = meeting(question, files={"notes.md": NOTES}, fetch_decision="rejected: no")
    answer = asked.ask_assistant()
    assert "notes.md: “A rider is told" in answer
    assert f"Not read: {PAGE} (the person rejected it: no)" in answer
    assert "Product manager: “" in answer


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (
            "See https://a.example/x, and (https://b.example/y).",
            ["https://a.example/x", "https://b.example/y"],
        ),
        ("请看https://a.example/x里的规则", ["https://a.example/x"]),
        ("https://a.example/w_(x) https://a.example/w_(x)", ["https://a.example/w_(x)"]),
        ("ftp://a.example/x and a.example", []),
    ],
)
def test_links_are_read_as_people_write_them(text: str, links: list[str]) -> None:
    assert links_in(text) == links


@pytest.mark.parametrize(
    ("brief", "asked"),
    [
        (f"How long is the refund? See {PAGE}.", "How long is the refund?"),
        (f"Refund it at once, see notes.md and {PAGE}.", "Refund it at once,"),
        ("退款要多久？见附件 notes.md，押金呢？", "退款要多久？押金呢？"),
        (f"退款要多久？另见{PAGE}。", "退款要多久？"),
        ("退款要多久？请写一份架构决策记录，附件是 notes.md。", "退款要多久？"),
        ("How long is the refund? Write an ADR on it.", "How long is the refund?"),
        ("Write an ADR on refunds of deposits.", "Write an ADR on refunds of deposits."),
        (f"What does {PAGE}?a=1,b say of refunds?", "What does it say of refunds?"),
        ("What does notes.md say of refunds?", "What does notes.md say of refunds?"),
        (PAGE, PAGE),
        (BRIEF, BRIEF),
        (CHINESE_BRIEF, CHINESE_BRIEF),
    ],
)
def test_the_question_leaves_mere_references_out(brief: str, asked: str) -> None:
    assert without_references(brief) == asked


def test_the_same_prompt_gets_the_same_answer() -> None:
    brief = f"{BRIEF} See notes.md."
    texts = [
        json.dumps([u.output for u in meeting(brief, files={"notes.md": NOTES}).play().utterances])
        for _ in range(2)
    ]
    assert texts[0] == texts[1]

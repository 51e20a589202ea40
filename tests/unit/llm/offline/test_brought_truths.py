"""What the closing and the summary say of attached files and linked pages has to be true."""

import pytest

from meetmind.llm.offline.lookups import wanted_calls
from meetmind.llm.offline.table_rows import is_row, table_rows
from meetmind.llm.offline.voice import Voice
from meetmind.llm.prompt_sections import read_sections
from meetmind.llm.tool_envelopes import PromptPassage
from tests.support.bike_rental import BRIEF, CHINESE_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting, material
from tests.support.seed_passages import make_passage

PAUSE_BRIEF = (
    "Customers should be able to pause their tea subscription. The rules are in pricing.md."
)
PAUSE_BRIEF_ZH = "顾客应该可以暂停茶叶订阅。规则在 pricing.md 里。"
PRICING = (
    "# Pricing notes for the tea subscription\n\n## Rules\n"
    "A customer may pause a subscription for at most 3 months.\n"
    "Pausing must be possible until 48 hours before the next charge.\n"
)
PRICING_ZH = "# 茶叶订阅的价格说明\n\n顾客最多可以暂停订阅 3 个月。\n"
SIX_MONTHS = "A paused subscription can be taken up again with one click for six months."
PAGE = "https://example.com/callbacks"
CSV = "month,paused,cancelled,charged\n2026-01,0,41,812\n2026-02,0,57,790\n2026-03,1,30,801\n"


def tea_passages(sentence: str = "") -> list[PromptPassage]:
    about = sentence or "The page of a tea subscription shows the customer the next three boxes."
    return [
        make_passage("product_manager", "Tea of the month: subscription", about),
        make_passage("architect", "订阅", "茶叶订阅的页面向顾客显示接下来的三个礼盒。"),
    ]


def tea_meeting(sentence: str = "", **details: object) -> Meeting:
    files = {"pricing.md": PRICING}
    given: dict[str, object] = {"brief": PAUSE_BRIEF, "files": files, **details}
    return Meeting(passages=tea_passages(sentence), **given)  # type: ignore[arg-type]


def closing_texts(played: Meeting) -> list[str]:
    """The closing word and the summary."""
    last = played.utterances[-1]
    return [last.content, str(last.written[0]["content"])]


def test_a_point_that_an_attached_file_speaks_to_is_told_with_the_file() -> None:
    file_id = material("file", "pricing.md", PRICING).passage_id
    told = (
        "the file pricing.md says “A customer may pause a subscription for at most 3 months.” "
        f"[{file_id}]"
    )
    for text in closing_texts(tea_meeting().play()):
        point_lines = [line for line in text.splitlines() if line.startswith("- Point 1, “Rules")]
        assert told in point_lines[-1]
        assert "only touches it" not in point_lines[-1]
        assert "Product manager: decide whether “A customer may pause" in text


def test_beside_an_objection_the_file_is_told_as_well() -> None:
    files = {"notes.md": "The deposit of a booking is refunded to the card of the rider.\n"}
    played = Meeting(passages=bike_passages(), brief=BRIEF, files=files).play()
    for text in closing_texts(played):
        assert "10 days (Tester) against 3 days (Product manager)" in text
        assert "the file notes.md says “The deposit of a booking is refunded" in text
        assert "Whether that holds is to be decided with the objection." in text


def test_in_chinese_the_file_is_told_as_well() -> None:
    files = {"pricing.md": PRICING_ZH}
    played = tea_meeting(brief=PAUSE_BRIEF_ZH, language="zh", files=files).play()
    for text in closing_texts(played):
        assert "文件 pricing.md 写着“顾客最多可以暂停订阅 3 个月。”[file_" in text
        assert "各角色的文档都没有对此作出规定" in text


def test_a_number_of_a_file_that_clashes_with_a_roles_is_named() -> None:
    played = tea_meeting(SIX_MONTHS).play()
    for text in closing_texts(played):
        assert "the file pricing.md says “A customer may pause" in text
        assert f"Product manager's document says “{SIX_MONTHS}” [product_manager_" in text
        assert "so 3 months against six months: to be decided." in text
        assert "3 months (pricing.md) or six months (Product manager)" in text
    assert all(p["state"] == "recorded_open" for p in played.utterances[-1].output["points"])


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("rejected: ", "请求被驳回"),
        ("rejected: 内部网页", "请求被驳回：内部网页"),
        ("error: x.example does not answer on port 443. Use another page.", "这个地址没有响应"),
        ("error: The server answered with status 404. Use another page.", "服务器返回了错误 404"),
        ("error: Something odd. Use another page.", "Something odd"),
        ("unsure: ", "不确定请求的结果如何"),
    ],
)
def test_what_was_not_read_is_listed_to_the_end_with_its_reason(decision: str, reason: str) -> None:
    brief = f"{CHINESE_BRIEF}另见{PAGE}，附件是 plan.md。"
    played = Meeting(
        passages=bike_passages(), brief=brief, language="zh", fetch_decision=decision
    ).play()
    for text in (played.utterances[0].content, *closing_texts(played)):
        assert f"没有读到：{PAGE}（{reason}）" in text
        assert "没有读到：plan.md（没有这个文件）" in text


def test_each_of_two_pages_is_named() -> None:
    other = "https://example.com/other"
    brief = f"{BRIEF} See {PAGE} and {other}."
    played = Meeting(passages=bike_passages(), brief=brief, fetch_decision="rejected: ").play()
    for text in closing_texts(played):
        assert f"- Not read: {PAGE} (the person rejected it)" in text
        assert f"- Not read: {other} (the person rejected it)" in text


def test_a_file_whose_heading_has_a_word_of_the_brief_is_not_said_to_have_none() -> None:
    files = {"x.md": "# Deposit\n\nShort line.\nThe moon goes round the earth in about four weeks."}
    played = Meeting(passages=bike_passages(), brief=BRIEF, files=files).play()
    opening = played.utterances[0].content
    assert "none of the brief's words" not in opening
    assert "No sentence of x.md comes close to what the brief asks; it begins: “Deposit”" in opening
    assert "the file x.md says" not in played.utterances[-1].content


def test_a_beginning_is_the_real_one() -> None:
    files = {"x.md": "# Tides\n\nThe moon goes round the earth in about four weeks."}
    opening = Meeting(passages=bike_passages(), brief=BRIEF, files=files).play().utterances[0]
    assert "x.md has none of the brief's words in it; it begins: “Tides”" in opening.content


def test_no_step_is_made_out_of_what_only_happened() -> None:
    happened = "The tea subscription invoices of customers were corrected by 19 January 2026."
    for text in closing_texts(tea_meeting(happened, brief=PAUSE_BRIEF, files={}).play()):
        steps = text.partition("ext steps")[2].partition("## Sources")[0]
        assert "point 2" not in steps
        assert "corrected by 19 January" not in steps


def test_a_table_is_quoted_row_by_row_and_never_called_foreign() -> None:
    files = {"revenue.csv": CSV}
    played = tea_meeting(brief=PAUSE_BRIEF_ZH, language="zh", files=files).play()
    for text in (played.utterances[0].content, *closing_texts(played)):
        row = "revenue.csv：“month=2026-01, paused=0, cancelled=41, charged=812”[file_"
        assert row in text
        assert text.count("revenue.csv：“") == 2


def test_rows_read_as_heading_and_value() -> None:
    assert list(table_rows("a.tsv", "id\tname\n1\t\n\n2\tx  y\n")) == ["id=1", "id=2, name=x y"]
    assert is_row("id=1", "file_0123456789ab")
    assert not is_row("id=1", "backend_0123456789ab")


def test_queries_that_differ_in_their_end_signs_are_asked_once() -> None:
    messages = Meeting(passages=bike_passages(), brief=BRIEF)._messages("backend", "look_up", "")
    sections = read_sections(messages)
    calls = wanted_calls(sections, ["rag_search"])
    forms = [(c.arguments["query"].strip(" ,.?").lower(), c.arguments["scope"]) for c in calls]
    assert len(forms) == len(set(forms))


def test_a_brief_that_is_its_own_only_point_is_searched_once() -> None:
    brief = "Refund of the deposit within three days,"
    messages = Meeting(passages=bike_passages(), brief=brief)._messages("backend", "look_up", "")
    calls = wanted_calls(read_sections(messages), ["rag_search"])
    own = [c.arguments["query"].strip(" ,") for c in calls if c.arguments["scope"] == "own"]
    assert len(own) == len(set(own))


def test_chinese_agreement_and_silence_are_said_as_people_say_them() -> None:
    agreements = [*variants("product_manager", "agree"), *variants("architect", "object")]
    assert not any("跟{name}走" in sentence for sentence in agreements)
    silence = Voice("zh", "architect", "").text(
        "closing", "unanswered", point="议题 1", question=""
    )
    assert silence.endswith("各资料库都没有提到。")


def variants(role: str, slot: str) -> list[str]:
    voice = Voice("zh", role, "")
    return [voice.variant(slot) for _ in range(4)]

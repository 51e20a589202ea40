"""How a call ended is told to people in their language, and what the role was told beside it."""

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.events import (
    DiscussionEvent,
    FloorTaken,
    RunEnded,
    RunStarted,
    ToolFinished,
    ToolRequested,
)
from meetmind.server.services import Services
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

TOLD = "There is no file 'a.md'. Call list_dir to see what there is."
STARTED = RunStarted(
    brief="b", mode="auto", language="zh", model_name="m", offline=False, max_iterations=15
)


def read_call(call_id: str, finished: ToolFinished) -> list[DiscussionEvent]:
    asked = ToolRequested(
        utterance_id="u",
        agent_name="architect",
        call_id=call_id,
        tool="Read",
        risk="low",
        arguments={"path": "a.md"},
        verdict="allowed",
    )
    return [asked, finished]


def test_a_step_is_told_in_the_readers_language(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    failed = ToolFinished(
        utterance_id="u",
        call_id="c1",
        tool="Read",
        status="error",
        summary=TOLD,
        error_code="no_such_file",
    )
    well = ToolFinished(
        utterance_id="u",
        call_id="c2",
        tool="Read",
        status="ok",
        summary="a.md, lines 1-40 of 50",
    )
    events: list[DiscussionEvent] = [
        STARTED,
        FloorTaken(utterance_id="u", agent_name="architect", iteration=1),
        *read_call("c1", failed),
        *read_call("c2", well),
        RunEnded(status="done", reason="closed_by_architect"),
    ]
    session_id, _ = store_run(pool, services, admin.id, "b", "zh", events)
    app = app_of(admin, session_id, locale="zh-CN").run()
    assert not app.exception
    labels = "\n".join(expander.label for expander in app.expander)
    assert "失败 · 没有这个文件。" in labels
    assert "第 1 至 40 行，共 50 行" in labels
    assert "lines" not in labels
    shown = words_of(app)
    assert ":material/error: 没有这个文件。" in shown
    assert "告知角色的内容" in shown
    assert "There is no file" in shown


@pytest.mark.parametrize(
    ("status", "code", "told", "lines"),
    [
        ("finished", "", "b.md (12 bytes)", ["结果", "12 字节"]),
        (
            "failed",
            "not_found",
            "It is not there.",
            ["文件里没有要替换的内容。", "It is not there."],
        ),
        ("failed", "", "It broke.", ["工具没能完成这项操作。", "It broke."]),
        (
            "rejected",
            "rejected",
            "A person rejected it.",
            ["告知角色的内容", "A person rejected it."],
        ),
        ("started", "", "", []),
    ],
)
def test_a_past_call_is_told_in_the_readers_language(
    status: str, code: str, told: str, lines: list[str]
) -> None:
    def page(status: str, code: str, told: str) -> None:
        from meetmind.ui.show_call_result import show_call_result

        show_call_result("Write", status, code, told)

    app = AppTest.from_function(page, args=(status, code, told))
    app.context = {"locale": "zh-CN"}
    app.run()
    assert not app.exception
    shown = words_of(app)
    assert [line for line in lines if line not in shown] == []
    assert bool(shown.strip()) == bool(lines)

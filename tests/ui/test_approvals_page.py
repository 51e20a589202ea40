"""The Approvals page and its cards, over the real graph with a model that asks for calls."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from meetmind.server.approvals import PastFilter, PendingCall
from meetmind.server.models import Models
from meetmind.server.services import Services
from meetmind.ui.past_calls_csv import csv_bytes
from meetmind.ui.session import APPROVALS_TABS
from tests.support.asking_model import CARDS, CHANGE, WRITE, asking_client
from tests.support.room import wait_until
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

PAGE = "pages/approvals.py"


@pytest.fixture
def asking(services: Services) -> Services:
    """The services with a model that asks for calls, in discussions of two turns."""
    services.settings = services.settings.model_copy(update={"max_iterations": 2})
    services.models = Models(services.settings, asking_client())
    return services


def begin(services: Services, person: SignedIn, brief: str, calls: int = 1) -> list[PendingCall]:
    """A discussion of this brief, once it rests; what waits in it."""
    session_id = services.discussions.create_session(person.id, brief)
    services.execution.start_run(person.id, session_id, brief, "team")
    return wait_for_calls(services, person, session_id, calls)


def wait_for_calls(
    services: Services, person: SignedIn, session_id: str, calls: int = 1
) -> list[PendingCall]:
    def is_resting() -> bool:
        pending = services.approvals.pending_calls(person.id, session_id)
        return state_of(services, person, session_id) == "waiting" and len(pending) == calls

    wait_until(is_resting)
    return services.approvals.pending_calls(person.id, session_id)


def wait_for_end(services: Services, person: SignedIn, session_id: str) -> None:
    over = ("done", "failed", "stopped")
    wait_until(lambda: state_of(services, person, session_id) in over)


def state_of(services: Services, person: SignedIn, session_id: str) -> str:
    (run,) = services.discussions.list_runs(person.id, session_id)
    return run.state


def open_page(person: SignedIn, tab: str = "", locale: str = "en-US") -> AppTest:
    app = app_of(person, locale=locale)
    app.switch_page(PAGE)
    if tab:
        app.session_state[APPROVALS_TABS] = tab
    return app.run()


def key_of(call: PendingCall) -> str:
    return f"{call.run_id}_{call.call_id}"


def labels_of(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def file_of(services: Services, call: PendingCall, path: str) -> str:
    folder = services.settings.meetmind_home / "workspaces" / call.session_id
    return (folder / path).read_text(encoding="utf-8")


def approve_first_write(services: Services, person: SignedIn) -> PendingCall:
    """The discussion that writes a file and changes it twice, at its first change."""
    (written,) = begin(services, person, CHANGE)
    services.execution.decide(person.id, written.run_id, written.call_id, "approved")
    (change,) = wait_for_calls(services, person, written.session_id)
    while change.call_id == written.call_id:
        (change,) = wait_for_calls(services, person, written.session_id)
    return change


@pytest.mark.parametrize(
    ("locale", "waiting", "allowed", "history"),
    [
        ("en-US", "Nothing waits for you.", "nothing beyond single calls", "will be listed here"),
        ("zh-CN", "没有等你决定的操作。", "每项操作都会单独询问", "都会列在这里"),
    ],
)
def test_empty_tabs_say_what_would_fill_them(
    services: Services, admin: SignedIn, locale: str, waiting: str, allowed: str, history: str
) -> None:
    tabs = {"en-US": ("Waiting", "Allowed", "History"), "zh-CN": ("等待中", "已允许", "记录")}
    for tab, sentence in zip(tabs[locale], (waiting, allowed, history), strict=True):
        app = open_page(admin, tab, locale)
        assert not app.exception
        assert sentence in words_of(app)


def test_a_card_shows_everything_and_what_is_hidden(asking: Services, admin: SignedIn) -> None:
    begin(asking, admin, CARDS, calls=3)
    app = open_page(admin)
    shown = words_of(app)
    codes = [block.value for block in app.code]
    assert not app.exception
    assert shown.count(":red-badge[High risk]") == 2
    assert "wants to fetch a page from the web" in shown
    assert "https://xn--exmple-cua.org/prices" in codes
    assert ":blue-badge[xn--exmple-cua.org]" in shown
    assert "not written in plain Latin letters" in shown
    assert "lets every page of xn--exmple-cua.org pass" in shown
    assert any("+39. a line of the summary" in code for code in codes)
    assert any("pay⟨U+200B⟩ment⟨U+202E⟩" in code for code in codes)
    assert "2 hidden characters are written out" in shown
    assert "p\u0430ypal" in shown
    assert labels_of(app).count("Allow for this discussion") == 1
    assert not app.toast
    other = app_of(admin).run()
    assert [toast.value for toast in other.toast] == ["3 things wait for you. See Approvals."]
    assert not other.run().toast


def test_edited_arguments_are_what_runs(asking: Services, admin: SignedIn) -> None:
    (call,) = begin(asking, admin, WRITE)
    key = key_of(call)
    app = open_page(admin)
    app.button(key=f"edit_{key}").click().run()
    app.text_input(key=f"argument_{key}_path").set_value("../out.md")
    app.button(key=f"rate_{key}").click().run()
    assert len(app.error) == 1
    field = f"argument_{key}_content"
    assert app.text_input(key=f"argument_{key}_path").value == "../out.md"
    app.text_input(key=f"argument_{key}_path").set_value("better.md")
    app.text_area(key=field).set_value("# Better\n")
    app.button(key=f"rate_{key}").click().run()
    assert any("+++ better.md" in block.value for block in app.code)
    assert "High risk" in words_of(app)
    app.button(key=f"approve_typed_{key}").click().run()
    assert not app.exception
    assert "Approved. The discussion goes on." in words_of(app)
    wait_for_end(asking, admin, call.session_id)
    assert file_of(asking, call, "better.md") == "# Better\n"
    talk = app_of(admin, call.session_id).run()
    lines = [expander.label for expander in talk.expander]
    assert any("Approved by admin with changed arguments" in line for line in lines)
    assert any('"path": "summary.md"' in block.value for block in talk.code)


def test_allow_for_this_discussion_lets_the_next_call_pass_until_it_is_taken_back(
    asking: Services, admin: SignedIn
) -> None:
    change = approve_first_write(asking, admin)
    app = open_page(admin)
    app.button(key=f"allowed_{key_of(change)}").click().run()
    assert "may do this without asking: every change of a file with Edit" in words_of(app)
    wait_for_end(asking, admin, change.session_id)
    assert file_of(asking, change, "notes.md") == "15 minutes\n7 percent\n"
    talk = app_of(admin, change.session_id).run()
    lines = [expander.label for expander in talk.expander]
    passed = [line for line in lines if "Allowed for this discussion by admin" in line]
    assert len(passed) == 1
    assert "**Allowed here**" in words_of(talk)
    allowed = open_page(admin, "Allowed")
    assert "used once" in words_of(allowed)
    (grant,) = asking.approvals.grants(admin.id)
    allowed.button(key=f"revoke_{grant.id}").click().run()
    assert asking.approvals.grants(admin.id) == []
    assert "Such calls wait for you again." in words_of(allowed)


def test_a_card_whose_file_has_changed_decides_nothing_and_shows_the_new_change(
    asking: Services, admin: SignedIn
) -> None:
    change = approve_first_write(asking, admin)
    talk = app_of(admin, change.session_id).run()
    folder = asking.settings.meetmind_home / "workspaces" / change.session_id
    (folder / "notes.md").write_text("30 minutes\n9 percent\n", encoding="utf-8")
    talk.button(key=f"approved_{key_of(change)}").click().run()
    assert not talk.exception
    shown = words_of(talk)
    assert "so nothing was decided. Look at it again." in shown
    assert "The file has changed since you were asked." in shown
    assert any(" 9 percent" in block.value for block in talk.code)
    assert not talk.chat_input[0].disabled
    (waiting,) = asking.approvals.pending_calls(admin.id)
    assert waiting.call_id == change.call_id
    asking.execution.stop_run(admin.id, change.run_id)


def notes_of(services: Services, call: PendingCall) -> Path:
    return services.settings.meetmind_home / "workspaces" / call.session_id / "notes.md"


def test_an_old_card_in_another_tab_decides_nothing(asking: Services, admin: SignedIn) -> None:
    change = approve_first_write(asking, admin)
    old_page = open_page(admin)
    old_talk = app_of(admin, change.session_id).run()
    new_page = open_page(admin)
    notes_of(asking, change).write_text("30 minutes\n9 percent\n", encoding="utf-8")
    new_page.button(key=f"approved_{key_of(change)}").click().run()
    for old in (old_page, old_talk):
        (seen,) = [block.value for block in old.code if "+15 minutes" in block.value]
        assert "9 percent" not in seen
        old.button(key=f"approved_{key_of(change)}").click().run()
        assert not old.exception
        assert "The call has changed since this card was drawn" in words_of(old)
        assert any(" 9 percent" in block.value for block in old.code)
    (waiting,) = asking.approvals.pending_calls(admin.id)
    assert waiting.call_id == change.call_id
    old_talk.button(key=f"approved_{key_of(change)}").click().run()
    wait_for_end(asking, admin, change.session_id)
    assert notes_of(asking, change).read_text(encoding="utf-8") == "15 minutes\n9 percent\n"


def test_enter_in_a_field_of_the_form_approves_nothing(asking: Services, admin: SignedIn) -> None:
    (call,) = begin(asking, admin, WRITE)
    app = open_page(admin)
    app.button(key=f"edit_{key_of(call)}").click().run()
    forms = [block.proto.form for block in blocks_of(app.main) if block.type == "form"]
    assert [form.enter_to_submit for form in forms] == [False]
    asking.execution.stop_run(admin.id, call.run_id)


def blocks_of(block: Block) -> Iterator[Block]:
    for child in block.children.values():
        if isinstance(child, Block):
            yield child
            yield from blocks_of(child)


def test_typed_arguments_run_only_with_the_effect_that_was_shown(
    asking: Services, admin: SignedIn
) -> None:
    (call,) = begin(asking, admin, WRITE)
    key = key_of(call)
    app = open_page(admin)
    app.button(key=f"edit_{key}").click().run()
    app.text_input(key=f"argument_{key}_path").set_value("notes.md")
    app.button(key=f"rate_{key}").click().run()
    notes = notes_of(asking, call)
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("kept by somebody\n", encoding="utf-8")
    app.button(key=f"approve_typed_{key}").click().run()
    assert not app.exception
    assert "This is not the effect that you were shown" in words_of(app)
    assert any("-kept by somebody" in block.value for block in app.code)
    assert app.text_input(key=f"argument_{key}_path").value == "notes.md"
    assert [waiting.call_id for waiting in asking.approvals.pending_calls(admin.id)] == [
        call.call_id
    ]
    app.button(key=f"approve_typed_{key}").click().run()
    wait_for_end(asking, admin, call.session_id)
    assert notes.read_text(encoding="utf-8") == "# Summary\n"


def test_a_call_that_cannot_run_any_more_is_told_in_the_readers_language(
    asking: Services, admin: SignedIn
) -> None:
    change = approve_first_write(asking, admin)
    app = open_page(admin, locale="zh-CN")
    notes_of(asking, change).write_text("nothing of it\n", encoding="utf-8")
    app.button(key=f"approved_{key_of(change)}").click().run()
    assert not app.exception
    assert [fault.value for fault in app.error] == ["文件里没有要替换的内容。"]
    asking.execution.stop_run(admin.id, change.run_id)


def test_a_change_is_taken_back_from_the_history(asking: Services, admin: SignedIn) -> None:
    change = approve_first_write(asking, admin)
    asking.execution.decide(admin.id, change.run_id, change.call_id, "approved")
    (second,) = wait_for_calls(asking, admin, change.session_id)
    asking.execution.stop_run(admin.id, second.run_id)
    app = open_page(admin, "History")
    key = f"past_{key_of(change)}"
    app.session_state[key] = True
    app.run()
    assert not app.exception
    app.button(key=f"undo_{key_of(change)}").click().run()
    assert "The file holds again what it held before." in words_of(app)
    assert file_of(asking, change, "notes.md") == "30 minutes\n5 percent\n"
    assert any("taken back" in expander.label for expander in app.expander)
    assert f"undo_{key_of(change)}" not in [button.key for button in app.button]


def test_the_history_is_filtered_and_written_as_a_table(asking: Services, admin: SignedIn) -> None:
    calls = begin(asking, admin, CARDS, calls=3)
    for call in calls:
        asking.execution.decide(admin.id, call.run_id, call.call_id, "rejected", "=1+1")
    wait_for_end(asking, admin, calls[0].session_id)
    app = open_page(admin, "History")
    assert "4 calls, newest first" in words_of(app)
    app.selectbox(key="approvals_outcome").set_value("refused").run()
    lines = [expander.label for expander in app.expander]
    assert "1 call" in words_of(app)
    assert any("Refused by the policy" in line for line in lines)
    app.selectbox(key="approvals_outcome").set_value("approved").run()
    assert "No call matches these filters." in words_of(app)
    rows, _ = asking.approvals.past_calls(admin.id, PastFilter())
    table = list(csv.DictReader(io.StringIO(csv_bytes(rows).decode("utf-8-sig"))))
    assert {row["decision"] for row in table} == {"rejected", "refused"}
    assert {row["decision_reason"] for row in table} == {"'=1+1", ""}
    assert {row["what_ran"] for row in table} == {""}


def test_the_navigation_counts_what_waits_and_every_page_announces_it_once(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    app = app_of(admin).run()
    assert not app.toast
    store_run(pool, services, admin.id, "Customers cancel orders")
    app.switch_page("pages/memory.py").run()
    (toast,) = app.toast
    assert toast.value.startswith("Architect wants to write a file: “Customers cancel orders”")
    assert not app.run().toast
    cards = app.switch_page(PAGE).run()
    assert "wants to write a file" in words_of(cards)

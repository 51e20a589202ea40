"""Files on the page: attached with a brief, listed beside the talk, opened to text and changes."""

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.database import runs
from meetmind.errors import RunIsBusy
from meetmind.events import RunEnded, RunStarted
from meetmind.server.services import Services
from meetmind.ui.session import DISCUSSION_ID
from tests.support.file_change import Changer, open_changer
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

BRIEF = "Read the plan and say what is missing"


def send(app: AppTest, words: str, *files: tuple[str, bytes]) -> AppTest:
    """Type and attach, and press Enter."""
    field = app.chat_input[0]
    for name, content in files:
        field.upload(name, content)
    return field.set_value(words).run()


@pytest.fixture
def started(services: Services, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The names of files with which runs would have begun; none really begins."""
    begun: list[tuple[str, ...]] = []

    def start_run(*arguments: object, files: tuple[str, ...] = (), **details: object) -> str:
        begun.append(tuple(files))
        return "run"

    monkeypatch.setattr(services.execution, "start_run", start_run)
    return begun


def changed_discussion(services: Services, admin: SignedIn, pool: ConnectionPool) -> Changer:
    """A discussion in which a role wrote a file and changed it; that change was taken back."""
    home = services.settings.meetmind_home
    _, changer = open_changer(pool, home, admin.id)
    changer.write("c1", "notes/summary.md", "Decided.\n")
    changer.write("c2", "notes/summary.md", "Decided.\nhid\u200bden\n")
    return changer


def test_files_go_with_the_brief_and_lie_in_the_discussion(
    services: Services, admin: SignedIn, started: list[tuple[str, ...]]
) -> None:
    app = app_of(admin).run()
    send(app, BRIEF, ("plan.md", b"# Plan"), ("data.csv", b"a,b"))
    assert not app.exception
    assert started == [("plan.md", "data.csv")]
    session_id = app.session_state[DISCUSSION_ID]
    assert services.workspaces.read_file(admin.id, session_id, "plan.md") == b"# Plan"
    assert "attached" in words_of(app)


@pytest.mark.parametrize(
    ("locale", "sentence", "kept"),
    [
        ("en-US", "By its name this is a text", "Goes with the next brief: plan.md"),
        ("zh-CN", "从名字看是文本，内容却不是。", "随下一条需求发送：plan.md"),
    ],
)
def test_a_refused_file_loses_neither_the_words_nor_the_other_files(
    admin: SignedIn, started: list[tuple[str, ...]], locale: str, sentence: str, kept: str
) -> None:
    app = app_of(admin, locale=locale).run()
    send(app, BRIEF, ("plan.md", b"# Plan"), ("fake.md", b"\x7fELF\x00"))
    shown = words_of(app)
    assert not app.exception
    assert started == []
    assert sentence in shown
    assert kept in shown
    assert DISCUSSION_ID not in app.session_state
    assert app.chat_input[0].proto.value == BRIEF
    send(app, BRIEF)
    assert started == [("plan.md",)]
    assert kept not in words_of(app)


def test_files_that_wait_can_be_let_go(admin: SignedIn, started: list[tuple[str, ...]]) -> None:
    app = app_of(admin).run()
    send(app, " ", ("plan.md", b"# Plan"))
    assert "Write what the team should do with the files" in words_of(app)
    app.button(key="composer_files_drop").click().run()
    send(app, BRIEF)
    assert started == [()]


def test_a_brief_that_is_not_taken_leaves_no_file_behind(
    services: Services, admin: SignedIn, pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = RunEnded(status="done", reason="answered")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[end])

    def refuse(*arguments: object, **details: object) -> str:
        raise RunIsBusy("busy")

    monkeypatch.setattr(services.execution, "start_run", refuse)
    app = app_of(admin, session_id).run()
    send(app, BRIEF, ("plan.md", b"# Plan"))
    assert "The team is still talking here" in words_of(app)
    assert "Goes with the next brief: plan.md" in words_of(app)
    assert app.chat_input[0].proto.value == BRIEF
    assert services.workspaces.list_files(admin.id, session_id) == []


def test_the_brief_shows_what_came_with_it(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    begun = RunStarted(
        brief=BRIEF,
        mode="team",
        language="en",
        model_name="offline",
        offline=True,
        max_iterations=15,
        files=("plan.md", "a*b*.csv"),
    )
    end = RunEnded(status="done", reason="answered")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[begun, end])
    shown = words_of(app_of(admin, session_id).run())
    assert "Attached: plan.md, a\\*b\\*.csv" in shown


def test_a_file_opens_to_its_text_and_its_changes_and_says_what_was_taken_back(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    changer = changed_discussion(services, admin, pool)
    session_id = changer.workspace.name
    app = app_of(admin, session_id)
    app.session_state[f"file_{session_id}_notes/summary.md"] = True
    app.run()
    assert not app.exception
    assert "· written" in words_of(app)
    codes = [block.value for block in app.code]
    assert "Decided.\nhid⟨U+200B⟩den" in codes
    assert any("+hid⟨U+200B⟩den" in code for code in codes)
    assert "Hidden characters, written out as ⟨U+…⟩: 1" in words_of(app)
    labels = [expander.label for expander in app.expander]
    assert any(label.startswith("Architect · ") for label in labels)
    assert "From the first version to now" in labels
    services.workspaces.undo(admin.id, changer.run_id, "c2")
    app.run()
    assert "change taken back" in words_of(app)
    labels = [expander.label for expander in app.expander]
    assert any("taken back on" in label and "by admin" in label for label in labels)


def test_several_files_come_as_a_zip_too(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    changer = changed_discussion(services, admin, pool)
    session_id = changer.workspace.name
    (changer.workspace / "picture.png").write_bytes(b"\x89PNG\x00")
    app = app_of(admin, session_id)
    app.session_state[f"file_{session_id}_picture.png"] = True
    app.run()
    assert f"download_all_{session_id}" in [b.key for b in app.get("download_button")]
    assert "This file is no text." in words_of(app)
    assert runs.list_runs(pool, owner_id=admin.id, session_id=session_id)

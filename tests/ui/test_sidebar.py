from psycopg_pool import ConnectionPool

from meetmind.server.services import Services
from meetmind.ui.session import DISCUSSION_ID
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of


def listed(app: object) -> list[str]:
    buttons = app.sidebar.button  # type: ignore[attr-defined]
    return [b.label for b in buttons if str(b.key).startswith("open_")]


def test_without_discussions_the_list_says_what_will_fill_it(
    services: Services, admin: SignedIn
) -> None:
    app = app_of(admin).run()
    assert "Your discussions will appear here." in words_of(app)


def test_discussions_stand_newest_first_with_their_state(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    services.discussions.create_session(admin.id, "Older")
    store_run(pool, services, admin.id, "Newer")
    app = app_of(admin).run()
    older, newer = ":gray[○] Older", ":orange[●] Newer"
    assert listed(app) == [newer, older]


def test_a_discussion_is_found_by_its_words(services: Services, admin: SignedIn) -> None:
    for title in ("Refunds", "Gift cards"):
        services.discussions.create_session(admin.id, title)
    app = app_of(admin).run()
    app.text_input(key="sidebar_search").set_value("gift").run()
    assert listed(app) == [":gray[○] Gift cards"]
    app.text_input(key="sidebar_search").set_value("nothing like it").run()
    assert "No discussion matches." in words_of(app)


def test_a_click_opens_a_discussion_and_new_closes_it(services: Services, admin: SignedIn) -> None:
    session_id = services.discussions.create_session(admin.id, "Refunds")
    app = app_of(admin).run()
    app.button(key=f"open_{session_id}").click().run()
    assert not app.exception
    assert app.session_state[DISCUSSION_ID] == session_id
    app.button(key="new_discussion").click().run()
    assert app.session_state[DISCUSSION_ID] is None


def test_discussions_of_somebody_else_are_not_listed(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    other = services.accounts.local_person()
    services.discussions.create_session(other.id, "Not yours")
    assert listed(app_of(admin).run()) == []

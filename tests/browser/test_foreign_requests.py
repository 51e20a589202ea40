"""No text in a discussion makes the page ask anybody but the app; every place is really drawn."""

from collections.abc import Callable

from playwright.sync_api import Page

from meetmind.database import sessions
from tests.browser.conftest import PASSWORD, RunningServer
from tests.support.foreign_places import TALK, TALK_PLACES
from tests.support.foreign_run import store_hostile_runs
from tests.support.foreign_texts import FORMS, hostile_text
from tests.support.foreign_tour import ForeignRequests, Tour

ON_CARDS = ("asktool", "askwhy", "askpath", "askargs", "askdiff")


def test_a_hostile_discussion_asks_no_foreign_host(
    server: RunningServer, open_signed_in: Callable[..., Page]
) -> None:
    pool = server.pool
    assert pool is not None
    person = server.accounts.sign_in("admin", PASSWORD)
    session_id = sessions.create_session(pool, owner_id=person.id, title=hostile_text("title"))
    store_hostile_runs(pool, person.id, session_id)
    page = open_signed_in("/settings")
    requests = ForeignRequests()
    page.context.route("**/*", requests.on_route)
    page.goto(f"{server.url}/?d={session_id}")
    tour = Tour(page=page, requests=requests)
    tour.look("title in the list", "[data-testid=stSidebar]", "title")
    tour.look("brief", TALK, "brief")
    tour.open_all("talk", TALK)
    tour.rest()
    for place, code in TALK_PLACES.items():
        if code not in ON_CARDS:
            tour.look(place, TALK, code)

    assert requests.asked == {}
    expected = {"title in the list", "brief"}
    expected.update(place for place, code in TALK_PLACES.items() if code not in ON_CARDS)
    assert set(tour.drawn) == expected
    assert all(len(hosts) == len(FORMS) for hosts in tour.drawn.values())
    sessions.delete_session(pool, owner_id=person.id, session_id=session_id)

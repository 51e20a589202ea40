from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from meetmind.web.routes import COOKIE_NAME, LANGUAGE_COOKIE, build_routes


class Door:
    """Accounts that know one ticket."""

    def __init__(self) -> None:
        self.tickets = {"good": "token-1"}
        self.signed_out: list[str] = []

    def redeem_ticket(self, ticket: str) -> str | None:
        return self.tickets.pop(ticket, None)

    def person_for_token(self, token: str) -> SimpleNamespace | None:
        return SimpleNamespace(language="zh") if token == "token-1" else None

    def sign_out(self, token: str) -> None:
        self.signed_out.append(token)


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def client(door: Door) -> Iterator[TestClient]:
    services: Any = SimpleNamespace(accounts=door)
    app = Starlette(routes=build_routes(lambda: services))
    with TestClient(app, follow_redirects=False) as client:
        yield client


def test_a_ticket_becomes_a_cookie_that_no_script_can_read(client: TestClient) -> None:
    response = client.get("/auth/enter?ticket=good&to=/knowledge?d=0af3")
    cookie = response.headers["set-cookie"]
    assert response.status_code == 303
    assert response.headers["location"] == "/knowledge?d=0af3"
    assert f"{COOKIE_NAME}=token-1" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_the_cookie_travels_over_https_only_where_the_app_is_served_so(door: Door) -> None:
    services: Any = SimpleNamespace(accounts=door)
    app = Starlette(routes=build_routes(lambda: services))
    with TestClient(app, base_url="https://meet.example", follow_redirects=False) as client:
        assert "Secure" in client.get("/auth/enter?ticket=good").headers["set-cookie"]


def test_a_ticket_works_once(client: TestClient) -> None:
    client.get("/auth/enter?ticket=good")
    again = client.get("/auth/enter?ticket=good")
    assert again.status_code == 303
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example", "/\\evil", "/a/b", "/x?d=<script>", ""]
)
def test_nobody_is_sent_to_another_address(client: TestClient, place: str) -> None:
    response = client.get("/auth/enter", params={"ticket": "good", "to": place})
    assert response.headers["location"] == "/"


@pytest.mark.parametrize("path", ["/auth/enter?ticket=good", "/auth/leave"])
def test_another_site_cannot_sign_somebody_in_or_out(
    client: TestClient, door: Door, path: str
) -> None:
    response = client.get(path, headers={"sec-fetch-site": "cross-site"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers
    assert door.tickets == {"good": "token-1"}


def test_signing_out_ends_the_sign_in_and_clears_the_cookie(client: TestClient, door: Door) -> None:
    client.cookies.set(COOKIE_NAME, "token-1")
    response = client.get("/auth/leave")
    assert door.signed_out == ["token-1"]
    assert response.headers["location"] == "/"
    cleared = [c for c in response.headers.get_list("set-cookie") if c.startswith(COOKIE_NAME)]
    assert len(cleared) == 1
    assert "Max-Age=0" in cleared[0]


def test_the_language_outlives_the_sign_in(client: TestClient) -> None:
    client.cookies.set(COOKIE_NAME, "token-1")
    client.get("/auth/leave")
    assert client.cookies[LANGUAGE_COOKIE] == "zh"


def test_health_is_told_before_and_after_the_services_are_open() -> None:
    current: dict[str, Any] = {"services": None}
    app = Starlette(routes=build_routes(lambda: current["services"]))
    with TestClient(app) as client:
        assert client.get("/healthz").status_code == 503
        assert client.get("/auth/enter?ticket=good").status_code == 403
        current["services"] = SimpleNamespace(accounts=Door())
        assert client.get("/healthz").json() == {"state": "ready"}

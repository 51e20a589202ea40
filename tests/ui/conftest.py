"""The real services on a database of the test's own, and somebody who is signed in."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.database.startup import open_database
from meetmind.server.services import Services, close_services
from meetmind.ui.process import process_services
from meetmind.ui.session import DISCUSSION_ID, TAB_TOKEN

APP = str(PROJECT_ROOT / "app.py")
FIRST_PASSWORD = "admin"
PASSWORD = "correct-horse"
SECONDS_A_RUN = 30.0


@pytest.fixture
def services(database_url: str, tmp_path: Path) -> Iterator[Services]:
    """Services without documents; the pages find them as they would in the server.

    Nothing is warmed up: what a page needs it must get without waiting for a model.
    """
    seeds = tmp_path / "seed"
    seeds.mkdir()
    settings = Settings(
        pg_url=SecretStr(database_url),
        meetmind_home=tmp_path / "home",
        seed_data_path=seeds,
        embedding_model_name="no-such-model",
    )
    opened = Services(settings, open_database(settings))
    opened.accounts.ensure_first_account()
    with process_services.using(opened):
        yield opened
    close_services(opened)


@dataclass(frozen=True)
class SignedIn:
    """Somebody with a password of their own, and the token of their tab."""

    id: str
    token: str


@pytest.fixture
def admin(services: Services) -> SignedIn:
    person = services.accounts.sign_in("admin", FIRST_PASSWORD)
    services.accounts.change_password(person.id, FIRST_PASSWORD, PASSWORD)
    token = services.accounts.redeem_ticket(services.accounts.issue_ticket(person.id))
    assert token is not None
    return SignedIn(id=person.id, token=token)


def app_of(person: SignedIn, discussion_id: str | None = None, locale: str = "en-US") -> AppTest:
    """The app in a tab where somebody is signed in; not run yet."""
    app = AppTest.from_file(APP, default_timeout=SECONDS_A_RUN)
    app.context = {"locale": locale, "timezone": "Europe/Berlin"}
    app.session_state[TAB_TOKEN] = person.token
    if discussion_id is not None:
        app.session_state[DISCUSSION_ID] = discussion_id
    return app


def words_of(app: AppTest) -> str:
    """Everything that the page says in Markdown, captions and alerts."""
    shown = [*app.markdown, *app.caption, *app.error, *app.warning, *app.success, *app.info]
    return "\n".join(str(element.value) for element in shown)

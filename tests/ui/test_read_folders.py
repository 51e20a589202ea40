"""The section of the Settings page with the folders that the team may read."""

from pathlib import Path

from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.server.services import Services
from meetmind.ui.show_read_folders import NAME, PATH
from tests.ui.conftest import SignedIn, app_of, words_of


def on_settings(admin: SignedIn) -> AppTest:
    return app_of(admin).run().switch_page("pages/settings.py").run()


def opened(app: AppTest, name: str, path: str) -> AppTest:
    app.text_input(key=NAME).set_value(name)
    app.text_input(key=PATH).set_value(path)
    return app.button(key="read_folder_add").click().run()


def test_an_administrator_opens_and_closes_a_folder(
    services: Services, admin: SignedIn, tmp_path: Path
) -> None:
    folder = tmp_path / "hand*book*"
    folder.mkdir()
    app = on_settings(admin)
    assert "No folder is open." in words_of(app)
    opened(app, "Handbook", str(folder))
    shown = words_of(app)
    assert not app.exception
    assert "The team can read **@handbook** from the next brief on." in shown
    assert "hand\\*book\\*" in shown
    assert app.text_input(key=NAME).value == ""
    folder.rmdir()
    app.run()
    assert "cannot be read at the moment" in words_of(app)
    app.button(key="read_folder_remove_handbook").click().run()
    assert "**@handbook** is closed." in words_of(app)
    assert services.workspaces.read_folders() == []


def test_a_refused_folder_is_told_and_the_fields_keep_what_was_typed(
    services: Services, admin: SignedIn
) -> None:
    app = on_settings(admin)
    opened(app, "docs", "/proc")
    assert "This folder belongs to the system." in words_of(app)
    assert app.text_input(key=PATH).value == "/proc"
    opened(app, "1", str(services.settings.meetmind_home.parent))
    assert "A name has 1 to 30 small letters" in words_of(app)
    assert services.workspaces.read_folders() == []


def test_others_see_the_folders_and_cannot_change_them(
    services: Services, admin: SignedIn, pool: ConnectionPool, tmp_path: Path
) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    app = on_settings(admin)
    with pool.connection() as connection:
        connection.execute("update users set is_admin = false")
    opened(app, "handbook", str(folder))
    shown = words_of(app)
    assert "Only an administrator can change this. Nothing was changed." in shown
    assert "An administrator can change this." in shown
    assert NAME not in [field.key for field in app.text_input]

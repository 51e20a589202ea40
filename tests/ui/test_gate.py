from streamlit.testing.v1 import AppTest

from meetmind.server.services import Services
from meetmind.ui.session import LANGUAGE, TAB_TOKEN
from tests.ui.conftest import (
    APP,
    FIRST_PASSWORD,
    PASSWORD,
    SECONDS_A_RUN,
    SignedIn,
    app_of,
    words_of,
)

PAGES = ("pages/discussion.py", "pages/knowledge.py", "pages/memory.py", "pages/settings.py")


def fresh_tab(locale: str = "en-US") -> AppTest:
    app = AppTest.from_file(APP, default_timeout=SECONDS_A_RUN)
    app.context = {"locale": locale}
    return app


def sign_in(app: AppTest, name: str, password: str) -> AppTest:
    app.text_input(key="sign_in_name").set_value(name)
    app.text_input(key="sign_in_password").set_value(password)
    app.form_submit_button[0].click()
    return app.run()


def shows_only_sign_in(app: AppTest) -> bool:
    labels = [field.key for field in app.text_input]
    return labels == ["sign_in_name", "sign_in_password"] and not app.sidebar.button


def test_a_stranger_sees_the_sign_in_and_nothing_else(services: Services) -> None:
    app = fresh_tab().run()
    assert not app.exception
    assert shows_only_sign_in(app)


def test_a_deep_link_on_a_fresh_server_shows_only_the_sign_in(services: Services) -> None:
    for page in PAGES:
        app = fresh_tab()
        app.switch_page(page).run()
        assert not app.exception
        assert shows_only_sign_in(app), page


def test_a_wrong_password_is_told_and_lets_nobody_in(services: Services) -> None:
    app = sign_in(fresh_tab().run(), "admin", "wrong")
    assert app.error[0].value == "The name or the password is wrong."
    assert shows_only_sign_in(app)


def test_an_empty_form_is_asked_to_be_filled_in(services: Services) -> None:
    app = sign_in(fresh_tab().run(), "", "")
    assert app.error[0].value == "Enter your name and password."
    assert shows_only_sign_in(app)


def test_the_first_sign_in_asks_for_a_new_password_before_anything_else(
    services: Services,
) -> None:
    app = sign_in(fresh_tab().run(), "admin", FIRST_PASSWORD)
    assert [field.key for field in app.text_input] == [
        "password_old",
        "password_new",
        "password_again",
    ]
    assert not app.sidebar.button

    app.text_input(key="password_old").set_value(FIRST_PASSWORD)
    app.text_input(key="password_new").set_value(PASSWORD)
    app.text_input(key="password_again").set_value(PASSWORD)
    app.form_submit_button[0].click()
    app.run()
    assert not app.exception
    assert "What should the team think through?" in words_of(app)


def test_a_new_password_that_will_not_do_is_refused_with_a_sentence(services: Services) -> None:
    app = sign_in(fresh_tab().run(), "admin", FIRST_PASSWORD)
    for old, new, again, sentence in (
        (FIRST_PASSWORD, "long-enough", "something else", "The two new passwords differ"),
        (FIRST_PASSWORD, "short", "short", "at least 8 characters"),
        ("wrong", "long-enough", "long-enough", "The current password is wrong"),
    ):
        app.text_input(key="password_old").set_value(old)
        app.text_input(key="password_new").set_value(new)
        app.text_input(key="password_again").set_value(again)
        app.form_submit_button[0].click()
        app.run()
        assert sentence in app.error[0].value


def test_a_token_that_was_revoked_shows_the_sign_in_again(
    services: Services, admin: SignedIn
) -> None:
    app = app_of(admin).run()
    assert app.sidebar.button
    services.accounts.sign_out(admin.token)
    assert shows_only_sign_in(app.run())


def test_signing_out_ends_the_sign_in(services: Services, admin: SignedIn) -> None:
    app = app_of(admin).run()
    app.button(key="sign_out").click().run()
    assert shows_only_sign_in(app)
    assert TAB_TOKEN not in app.session_state
    assert services.accounts.person_for_token(admin.token) is None


def test_the_language_stays_after_signing_out(services: Services, admin: SignedIn) -> None:
    services.accounts.set_language(admin.id, "zh")
    app = app_of(admin).run()
    app.button(key="sign_out").click().run()
    assert "登录" in words_of(app)


def test_the_language_follows_the_browser_and_a_choice_is_kept(services: Services) -> None:
    app = fresh_tab("zh-CN").run()
    assert "登录" in words_of(app)
    app.get_by_key("language_switch_door").set_value("en").run()
    assert app.session_state[LANGUAGE] == "en"
    sign_in(app, "admin", FIRST_PASSWORD)
    assert "Choose your password" in words_of(app)
    assert services.accounts.sign_in("admin", FIRST_PASSWORD).language == "en"

from streamlit.testing.v1 import AppTest

from meetmind.server.services import Services
from tests.ui.conftest import PASSWORD, SignedIn, app_of, words_of


def on_page(admin: SignedIn, page: str, locale: str = "en-US") -> AppTest:
    app = app_of(admin, locale=locale).run()
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def test_an_empty_memory_can_be_written_and_an_earlier_version_put_back(
    services: Services, admin: SignedIn
) -> None:
    app = on_page(admin, "memory")
    assert "When you save, the version before stays here." in words_of(app)
    for content in ("I like **short** answers.", "Prices with VAT."):
        app.text_area(key="memory_editor").set_value(content)
        app.button(key="memory_save").click().run()
        assert "Saved." in words_of(app)
    current = services.memory.get_memory(admin.id)
    assert current is not None
    assert current.content == "Prices with VAT."
    first = services.memory.list_versions(admin.id)[-1]
    app.button(key=f"restore_{first.id}").click().run()
    assert app.text_area(key="memory_editor").value == "I like **short** answers."


def test_settings_show_the_model_and_how_to_connect_one(
    services: Services, admin: SignedIn
) -> None:
    app = on_page(admin, "settings")
    assert "No model is connected." in words_of(app)
    assert any("API_KEY=" in block.value for block in app.code)


def test_the_language_is_switched_and_kept(services: Services, admin: SignedIn) -> None:
    app = on_page(admin, "settings")
    app.get_by_key("language_switch_settings").set_value("zh").run()
    assert "在你选择之前，MeetMind 跟随浏览器的语言。" in words_of(app)
    person = services.accounts.person_for_token(admin.token)
    assert person is not None
    assert person.language == "zh"


def test_the_password_is_changed_and_this_tab_stays(services: Services, admin: SignedIn) -> None:
    app = on_page(admin, "settings")
    app.text_input(key="password_old").set_value(PASSWORD)
    app.text_input(key="password_new").set_value("another-horse")
    app.text_input(key="password_again").set_value("another-horse")
    (save,) = [button for button in app.button if button.label == "Save password"]
    save.click().run()
    assert "Your password is changed." in words_of(app)
    assert services.accounts.person_for_token(admin.token) is not None
    assert services.accounts.sign_in("admin", "another-horse").id == admin.id


def test_every_page_opens_in_chinese(services: Services, admin: SignedIn) -> None:
    for page, title in (("knowledge", "知识库"), ("memory", "记忆"), ("settings", "设置")):
        assert f"## {title}" in words_of(on_page(admin, page, "zh-CN"))

from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.embedding_models import (
    FILLING,
    IN_FORCE,
    EmbeddingModelRow,
    add_embedding_model,
)
from meetmind.server.ingestion_worker import IngestionProgress
from meetmind.server.library import Library
from meetmind.server.services import Services
from meetmind.ui.retrieval_choice import CHOICE, OTHER, RERANK_MODEL, RERANKING
from tests.store.embedders import make_model_folder
from tests.ui.conftest import SignedIn, app_of, words_of

MINILM = "all-MiniLM-L6-v2"
E5 = "multilingual-e5-small"


@pytest.fixture
def started(services: Services, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the background work was asked for; it is not done, since it would load models."""
    asked: list[str] = []
    monkeypatch.setattr(services.library, "start_ingestion", lambda: asked.append("start"))
    return asked


def on_settings(person: SignedIn, locale: str = "en-US") -> AppTest:
    app = app_of(person, locale=locale).run()
    app.switch_page("pages/settings.py").run()
    assert not app.exception
    return app


def chosen(app: AppTest, choice: str) -> AppTest:
    app.radio(key=CHOICE).set_value(choice).run()
    assert not app.exception
    return app


def put(app: AppTest) -> str:
    app.button(key="retrieval_settings_put").click().run()
    assert not app.exception
    return words_of(app)


def add_model(pool: ConnectionPool, library: Library, key: str, name: str, state: str) -> None:
    for table_name in library.table_names:
        ensure_agent_table(pool, table_name)
    model = EmbeddingModelRow(key=key, name=name, dimensions=8, token_frame=None, state=state)
    add_embedding_model(pool, library.table_names, model)


def test_a_model_that_is_not_on_the_disk_is_shown_as_missing(
    services: Services, admin: SignedIn
) -> None:
    app = on_settings(admin)
    assert "**no\\-such\\-model** · chosen, but not on this disk" in words_of(app) or (
        "**no-such-model** · chosen, but not on this disk" in words_of(app)
    )
    assert app.radio(key=CHOICE).value == "other"
    assert app.text_input(key=OTHER).value == "no-such-model"
    assert "Reading the meaning" not in words_of(app)


def test_the_part_opens_in_chinese(services: Services, admin: SignedIn) -> None:
    assert "怎样检索各角色的文档。" in words_of(on_settings(admin, "zh-CN"))


def test_both_standard_models_are_put_in_force(
    services: Services, admin: SignedIn, started: list[str]
) -> None:
    shown = put(chosen(on_settings(admin), "both"))
    assert "A new model reads the passages in the background" in shown
    assert services.library.retrieval_settings().embedding_models == (MINILM, E5)
    assert started == ["start"]


def test_a_model_that_only_leaves_is_named_and_nothing_is_said_of_a_new_one(
    services: Services, admin: SignedIn, pool: ConnectionPool, started: list[str]
) -> None:
    library = services.library
    both = replace(library.retrieval_settings(), embedding_models=(MINILM, E5))
    library.choose_settings(both, None)
    add_model(pool, library, "minilm", MINILM, IN_FORCE)
    add_model(pool, library, "e5", E5, IN_FORCE)
    library._models.refresh()
    shown = put(chosen(on_settings(admin), "minilm")).replace("\\", "")
    assert f"No passage has to be read anew; no longer used: {E5}." in shown
    shown = put(chosen(on_settings(admin), "both"))
    assert "No passage has to be read anew." in shown


def test_nothing_changes_when_nothing_was_changed(
    services: Services, admin: SignedIn, started: list[str]
) -> None:
    assert "Nothing has changed." in put(on_settings(admin))
    assert started == []


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("nobody/knows-it", "“nobody/knows-it” is not on this disk. Put the model’s folder"),
        ("", "Type the folder or the name of a model."),
        (f"{MINILM}, sentence-transformers/{MINILM}", "is named twice"),
        ("~nobody-of-this-name/model", "is not on this disk"),
        ("x" * 400, "is not on this disk"),
    ],
)
def test_a_name_that_cannot_work_is_told_before_and_changes_nothing(
    services: Services, admin: SignedIn, started: list[str], typed: str, sentence: str
) -> None:
    app = chosen(on_settings(admin), "other")
    app.text_input(key=OTHER).set_value(typed).run()
    assert not app.exception
    before = [str(warning.value).replace("\\", "").replace("'", "’") for warning in app.warning]
    assert any(sentence in warning for warning in before), before
    put(app)
    assert services.library.retrieval_settings().embedding_models == ("no-such-model",)
    assert started == []


def test_a_folder_without_a_readable_model_is_told(
    services: Services, admin: SignedIn, started: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    app = chosen(on_settings(admin), "other")
    app.text_input(key=OTHER).set_value(str(folder)).run()
    assert "no model that can be read" in put(app)
    assert started == []


def test_a_folder_with_a_model_is_put_in_force(
    services: Services, admin: SignedIn, started: list[str], tmp_path: Path
) -> None:
    folder = make_model_folder(tmp_path, "my-model", 8)
    app = chosen(on_settings(admin), "other")
    app.text_input(key=OTHER).set_value(f"{folder}/， {MINILM}").run()
    put(app)
    assert services.library.retrieval_settings().embedding_models == (str(folder), MINILM)
    assert started == ["start"]


def test_reranking_is_chosen_without_touching_the_models(
    services: Services, admin: SignedIn, started: list[str]
) -> None:
    app = on_settings(admin)
    app.get_by_key(RERANKING).set_value("late").run()
    assert "Not used with this kind of reranking." in words_of(app)
    assert "The settings are in force from the next search on." in put(app)
    in_force = services.library.retrieval_settings()
    assert (in_force.reranking, in_force.embedding_models) == ("late", ("no-such-model",))
    assert started == []


def test_a_cross_encoder_must_be_on_this_disk(
    services: Services, admin: SignedIn, tmp_path: Path
) -> None:
    app = on_settings(admin)
    default = services.library.default_settings().rerank_model
    app.text_input(key=RERANK_MODEL).set_value("nobody/ranks").run()
    assert "Not on this disk" in words_of(app)
    assert "The cross-encoder “nobody/ranks” is not on this disk." in put(app)
    assert services.library.retrieval_settings().rerank_model == default
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    app.text_input(key=RERANK_MODEL).set_value(str(tmp_path)).run()
    assert "On this disk." in words_of(app)
    put(app)
    assert services.library.retrieval_settings().rerank_model == str(tmp_path)
    app.text_input(key=RERANK_MODEL).set_value("").run()
    put(app)
    assert services.library.retrieval_settings().rerank_model == ""


def test_back_to_the_defaults_takes_everything_back(
    services: Services, admin: SignedIn, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = on_settings(admin)
    app.get_by_key(RERANKING).set_value("fused").run()
    put(app)
    app.button(key="retrieval_settings_defaults").click().run()
    assert not app.exception
    assert services.library.retrieval_settings() == services.library.default_settings()
    assert app.get_by_key(RERANKING).value == "auto"


def test_a_model_that_fills_is_followed_while_the_search_goes_on(
    services: Services,
    admin: SignedIn,
    pool: ConnectionPool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = services.library
    add_model(pool, library, "minilm", MINILM, IN_FORCE)
    add_model(pool, library, "e5", E5, FILLING)
    library._models.refresh()
    monkeypatch.setattr(
        Library, "progress", lambda self: IngestionProgress(state="embedding", done=1, total=2)
    )
    shown = words_of(on_settings(admin))
    assert "searched" in shown
    assert "reading the passages: 0 of 0; not searched yet" in shown


def test_people_who_are_no_administrators_see_it_and_cannot_change_it(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    with pool.connection() as connection:
        connection.execute("update users set is_admin = false")
    app = on_settings(admin)
    assert "An administrator can change this." in words_of(app)
    assert app.radio(key=CHOICE).disabled
    assert app.text_input(key=RERANK_MODEL).disabled
    keys = [str(button.key) for button in app.button]
    assert not [key for key in keys if key.startswith("retrieval_settings")]


def test_somebody_who_lost_the_right_meanwhile_is_refused(
    services: Services, admin: SignedIn, pool: ConnectionPool, started: list[str]
) -> None:
    app = chosen(on_settings(admin), "both")
    with pool.connection() as connection:
        connection.execute("update users set is_admin = false")
    assert "Only an administrator can change this. Nothing was changed." in put(app)
    assert started == []

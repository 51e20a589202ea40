import json
from collections.abc import Sequence

import numpy as np
import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.database.embedding_columns import NewEmbedding, store_embeddings
from meetmind.database.embedding_models import IN_FORCE, EmbeddingModelRow, add_embedding_model
from meetmind.i18n.translate import translate
from meetmind.server.ingestion_worker import IngestionProgress
from meetmind.server.knowledge_rows import PassageRow
from meetmind.server.library import Library
from meetmind.server.services import Services
from meetmind.ui.open_passage import PassagePointer
from meetmind.ui.session import (
    KNOWLEDGE_DOCUMENT,
    KNOWLEDGE_MAP_PASSAGE,
    KNOWLEDGE_OPEN,
    KNOWLEDGE_ROLE,
    KNOWLEDGE_TABS,
)
from tests.ui.conftest import SignedIn, app_of, words_of

SECONDS = 30.0
ROLE = "architect"


def entries(*titles_and_contents: tuple[str, str]) -> str:
    """A file of which every entry is a passage."""
    listed = [{"title": title, "content": content} for title, content in titles_and_contents]
    return json.dumps(listed)


REFUNDS = entries(
    ("Window", "Unopened goods come back within 14 days of delivery."),
    ("Cold chain", "Frozen goods are never taken back, whatever the reason may be."),
)
PRICES = "# 价格规则\n\n## 四舍五入\n\n金额按分四舍五入，含增值税。\n"


@pytest.fixture
def colleague(services: Services) -> SignedIn:
    """Somebody who is no administrator."""
    person = services.accounts.local_person()
    token = services.accounts.redeem_ticket(services.accounts.issue_ticket(person.id))
    assert token is not None
    return SignedIn(id=person.id, token=token)


def write(services: Services, name: str, content: str) -> None:
    folder = services.settings.seed_data_path / ROLE
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")


def read(services: Services) -> None:
    services.library.start_ingestion()
    assert services.library.wait_until_idle(SECONDS)


@pytest.fixture
def passages(services: Services) -> tuple[PassageRow, ...]:
    """A document of two English passages and one of a Chinese passage, read."""
    write(services, "refunds.json", REFUNDS)
    write(services, "prices.md", PRICES)
    read(services)
    found = services.knowledge.find_passages(ROLE)
    assert found.total == 3
    return found.passages


def passage_with(passages: Sequence[PassageRow], words: str) -> PassageRow:
    return next(passage for passage in passages if words in passage.content)


def on_tab(person: SignedIn, tab: str, locale: str = "en-US", **state: object) -> AppTest:
    """The Knowledge page with one of its tabs open."""
    app = app_of(person, locale=locale)
    language = "zh" if locale == "zh-CN" else "en"
    app.session_state[KNOWLEDGE_TABS] = translate(f"knowledge.tab_{tab}", language)
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
    app.switch_page("pages/knowledge.py").run()
    assert not app.exception
    return app


def with_passage(person: SignedIn, passage: PassageRow, role: str = ROLE) -> AppTest:
    """The page with a passage open, as a link opens it."""
    app = app_of(person)
    app.session_state[KNOWLEDGE_TABS] = translate("knowledge.tab_passages", "en")
    app.run()
    app.switch_page("pages/knowledge.py")
    app.query_params["role"] = role
    app.query_params["passage"] = passage.id
    app.run()
    assert not app.exception
    return app


def again(app: AppTest, services: Services) -> AppTest:
    """The page once the background has read everything."""
    assert services.library.wait_until_idle(SECONDS)
    app.run()
    assert not app.exception
    return app


def keys_of(app: AppTest) -> list[str]:
    return [str(button.key) for button in app.button]


def test_an_empty_table_says_what_would_fill_it(services: Services, admin: SignedIn) -> None:
    app = on_tab(admin, "search")
    assert "This role has no documents yet." in words_of(app)
    assert "data/seed/architect" in words_of(app)
    for tab in ("documents", "passages", "map"):
        assert "This role has no documents yet." in words_of(on_tab(admin, tab))


def at_work(monkeypatch: pytest.MonkeyPatch, progress: IngestionProgress) -> None:
    """The background seems to be at this point."""
    monkeypatch.setattr(Library, "progress", lambda self: progress)


def bars_of(app: AppTest) -> str:
    """What stands above the bars of the page and of the sidebar."""
    return "\n".join(bar.proto.text for bar in app.get("progress"))


def test_an_empty_table_says_that_its_documents_are_being_read(
    services: Services, admin: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work(monkeypatch, IngestionProgress(state="reading", done=1, total=2))
    for tab in ("search", "documents", "passages", "map"):
        app = on_tab(admin, tab)
        assert "The documents of this role are being read." in words_of(app)
        assert "This role has no documents yet." not in words_of(app)
        assert "The roles are reading their documents" in bars_of(app)


def test_filling_vectors_is_told_as_preparing_the_search_by_meaning(
    services: Services, admin: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = IngestionProgress(state="embedding", done=1, total=2, current="backend")
    at_work(monkeypatch, progress)
    app = on_tab(admin, "search")
    assert "**Preparing the search by meaning** · 1 of 2" in bars_of(app)
    assert "Preparing search by meaning · 1 of 2" in bars_of(app)
    assert "Search and discussions work meanwhile" in words_of(app)
    assert "Search by words works already" not in words_of(app)


def test_documents_and_passages_of_a_role_are_shown(services: Services, admin: SignedIn) -> None:
    write(services, "refunds.json", REFUNDS)
    read(services)
    app = on_tab(admin, "search")
    assert {metric.label: metric.value for metric in app.metric}["Passages"] == "2"
    app.text_input(key="knowledge_query").set_value("unopened goods").run()
    assert "within 14 days of delivery" in words_of(app)
    assert "2 passages in" in words_of(app)
    assert "words + fused order" in words_of(app)
    assert "Not available: search by meaning" in words_of(app)
    assert "matched: unopened" in words_of(app)
    app.text_input(key="knowledge_query").set_value("zebra").run()
    assert "Nothing found" in words_of(app)


def test_reading_again_says_when_it_is_finished_and_what_is_there(
    services: Services, admin: SignedIn
) -> None:
    write(services, "refunds.md", "# Refunds\n\nWithin 14 days.\n")
    app = on_tab(admin, "upkeep")
    app.button(key="read_again").click().run()
    finished = "Reading is finished. Documents in place: 1, with 1 passages."
    if finished not in words_of(app):  # a fast reading is over before the page is drawn
        again(app, services)
    assert finished in words_of(app)
    assert "Reading is finished" not in words_of(app.run())


def test_the_documents_stand_in_a_table_with_what_could_not_be_read(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    write(services, "broken.pdf", "no pdf at all")
    read(services)
    app = on_tab(admin, "documents")
    table = app.dataframe[0].value
    assert list(table["File"]) == ["broken.pdf", "prices.md", "refunds.json"]
    assert list(table["State"]) == ["cannot be read", "read", "read"]
    assert list(table["Language"]) == ["", "Chinese", "English"]
    assert table["Notes"][0] == "This is not a PDF file."
    assert "cannot be read: 1" in words_of(app)
    app.selectbox(key="knowledge_document_status").set_value("failed").run()
    assert list(app.dataframe[0].value["File"]) == ["broken.pdf"]
    app.selectbox(key="knowledge_document_status").set_value(None).run()
    app.text_input(key="knowledge_document_words").set_value("REFUND").run()
    assert list(app.dataframe[0].value["File"]) == ["refunds.json"]
    app.text_input(key="knowledge_document_words").set_value("nothing like it").run()
    assert "No document fits." in words_of(app)


def test_passages_are_filtered_by_words_and_language(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    app = on_tab(admin, "passages")
    assert "1–3 of 3 passages" in words_of(app)
    app.text_input(key="knowledge_passage_words").set_value("FROZEN").run()
    assert "1 passage" in words_of(app)
    assert "never taken back" in words_of(app)
    assert "14 days" not in words_of(app)
    app.text_input(key="knowledge_passage_words").set_value("").run()
    app.selectbox(key="knowledge_passage_language").set_value("zh").run()
    assert "含增值税" in words_of(app)
    assert "never taken back" not in words_of(app)
    app.text_input(key="knowledge_passage_words").set_value("%").run()
    assert "No passage fits." in words_of(app)


def test_many_passages_stand_in_pages_and_a_filter_begins_at_the_first(
    services: Services, admin: SignedIn
) -> None:
    rules = [(f"Rule {n}", f"Rule number {n} is about parcels and pallets.") for n in range(25)]
    write(services, "rules.json", entries(*rules))
    read(services)
    app = on_tab(admin, "passages")
    assert "1–10 of 25 passages" in words_of(app)
    app.pagination[0].set_value(3).run()
    assert "21–25 of 25 passages" in words_of(app)
    app.text_input(key="knowledge_passage_words").set_value("number 1").run()
    assert "1–10 of 11 passages" in words_of(app)
    app.text_input(key="knowledge_passage_words").set_value("").run()
    assert "21–25 of 25 passages" in words_of(app)


def test_the_last_page_goes_with_its_last_passage(services: Services, admin: SignedIn) -> None:
    rules = [(f"Rule {n}", f"Rule number {n} is about parcels and pallets.") for n in range(11)]
    write(services, "rules.json", entries(*rules))
    read(services)
    app = on_tab(admin, "passages")
    app.pagination[0].set_value(2).run()
    last = services.knowledge.find_passages(ROLE, offset=10).passages[0]
    person = services.accounts.person_named("admin")
    services.knowledge.delete_passage(person, ROLE, last.id)
    app.run()
    assert not app.exception
    assert "1–10 of 10 passages" in words_of(app)


def test_a_link_opens_a_passage_with_its_neighbours(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    first, second = (row for row in passages if row.source == "refunds.json")
    app = with_passage(admin, first)
    words = words_of(app)
    assert "within 14 days of delivery" in words
    assert first.id in words
    assert "After it in the document" in words
    assert "Before it in the document" not in words
    app.button(key=f"open_after_{second.id}").click().run()
    assert "Before it in the document" in words_of(app)
    assert app.query_params["passage"] in (second.id, [second.id])
    app.button(key=f"back_{second.id}").click().run()
    assert "1–3 of 3 passages" in words_of(app)
    assert "passage" not in app.query_params


def test_a_link_with_another_role_opens_the_passage_with_its_own(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage, role="tester")
    assert "never taken back" in words_of(app)
    assert app.session_state[KNOWLEDGE_ROLE] == ROLE
    assert app.query_params["role"] in (ROLE, [ROLE])


def test_a_link_to_a_passage_that_is_gone_says_so(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    pointer = PassagePointer(role=ROLE, passage_id="architect_000000000000")
    app = on_tab(admin, "passages", **{KNOWLEDGE_OPEN: pointer})
    app.session_state[KNOWLEDGE_OPEN] = pointer
    app.run()
    assert not app.exception
    assert "This passage is no longer in the knowledge." in words_of(app)


def test_a_refused_edit_keeps_what_was_typed(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage)
    app.button(key=f"edit_{passage.id}").click().run()
    title, content = f"knowledge_edit_title_{passage.id}", f"knowledge_edit_content_{passage.id}"
    assert app.text_area(key=content).value == passage.content
    app.text_input(key=title).set_value("A new title")
    app.text_area(key=content).set_value("   ")
    app.button(key=f"save_{passage.id}").click().run()
    assert "A passage needs a text." in words_of(app)
    assert app.text_input(key=title).value == "A new title"
    too_long = "far too long " * 400
    app.text_area(key=content).set_value(too_long)
    app.button(key=f"save_{passage.id}").click().run()
    assert "at most 4000 characters" in words_of(app)
    assert app.text_area(key=content).value == too_long
    assert services.knowledge.open_passage(ROLE, passage.id).passage.content == passage.content


def test_an_open_edit_stays_open_on_another_tab_and_role(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage)
    app.button(key=f"edit_{passage.id}").click().run()
    title, content = f"knowledge_edit_title_{passage.id}", f"knowledge_edit_content_{passage.id}"
    app.text_input(key=title).set_value("A new title")
    app.text_area(key=content).set_value("   ")
    app.button(key=f"save_{passage.id}").click().run()
    app.segmented_control(key=KNOWLEDGE_ROLE).set_value("tester").run()
    assert app.session_state[KNOWLEDGE_ROLE] == ROLE
    assert app.text_input(key=title).value == "A new title"
    app.session_state[KNOWLEDGE_TABS] = translate("knowledge.tab_search", "en")
    app.run()
    assert app.text_input(key=title).value == "A new title"
    app.button(key=f"cancel_{passage.id}").click().run()
    app.segmented_control(key=KNOWLEDGE_ROLE).set_value("tester").run()
    assert app.session_state[KNOWLEDGE_OPEN] is None
    assert app.session_state[KNOWLEDGE_ROLE] == "tester"


def test_an_edit_takes_the_passages_place_and_can_be_undone(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage)
    app.button(key=f"edit_{passage.id}").click().run()
    content = f"knowledge_edit_content_{passage.id}"
    app.text_area(key=content).set_value("Frozen goods may come back after a call.")
    app.button(key=f"save_{passage.id}").click().run()
    again(app, services)
    edited = app.session_state[KNOWLEDGE_OPEN].passage_id
    assert edited != passage.id
    assert "may come back after a call" in words_of(app)
    assert "Edited by admin" in words_of(app)
    app.button(key=f"undo_{edited}").click().run()
    again(app, services)
    assert app.session_state[KNOWLEDGE_OPEN].passage_id == passage.id
    assert "never taken back" in words_of(app)
    assert "Edited by admin" not in words_of(app)


def test_a_passage_is_kept_out_of_searches_and_let_in_again(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage)
    app.button(key=f"disable_{passage.id}").click().run()
    assert "No search finds this passage any more." in words_of(app)
    assert "kept out of searches" in words_of(app)
    assert services.library.search(ROLE, "frozen goods").best_coverage < 1
    app.button(key=f"disable_{passage.id}").click().run()
    assert "Searches find this passage again." in words_of(app)
    assert services.library.search(ROLE, "frozen goods").best_coverage == 1


def test_a_deleted_passage_comes_back_only_when_it_is_restored(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    passage = passage_with(passages, "Frozen")
    app = with_passage(admin, passage)
    app.button(key=f"drop_passage_{passage.id}").click().run()
    assert "The passage is deleted." in words_of(app)
    assert "1–2 of 2 passages" in words_of(app)
    upkeep = on_tab(admin, "upkeep")
    assert "Cold chain" in words_of(upkeep)
    upkeep.button(key=f"bring_back_{passage.id}").click().run()
    again(upkeep, services)
    assert f"bring_back_{passage.id}" not in keys_of(upkeep)
    assert services.knowledge.open_passage(ROLE, passage.id).passage.content == passage.content


def test_a_deleted_document_stays_away_until_it_is_restored(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    app = on_tab(admin, "documents", **{KNOWLEDGE_DOCUMENT: (ROLE, "refunds.json")})
    assert "from the documents folder" in words_of(app)
    app.button(key=f"drop_document_{ROLE}_refunds.json").click().run()
    assert "refunds.json is deleted; passages that went with it: 2." in words_of(app)
    read(services)
    assert services.knowledge.find_passages(ROLE).total == 1
    upkeep = on_tab(admin, "upkeep")
    upkeep.button(key=f"bring_back_{ROLE}_refunds.json").click().run()
    again(upkeep, services)
    assert services.knowledge.find_passages(ROLE).total == 3


def test_uploaded_files_are_reported_one_by_one(services: Services, admin: SignedIn) -> None:
    app = on_tab(admin, "upkeep")
    assert app.button(key=f"send_{ROLE}").disabled
    files = [
        ("refunds.json", REFUNDS.encode(), "application/json"),
        ("broken.pdf", b"no pdf at all", "application/pdf"),
    ]
    app.file_uploader[0].set_value(files).run()
    app.button(key=f"send_{ROLE}").click().run()
    assert not app.exception
    again(app, services)
    assert "**refunds.json** · passages: 2" in words_of(app)
    assert "**broken.pdf** · cannot be read: This is not a PDF file." in words_of(app)
    assert app.button(key=f"send_{ROLE}").disabled
    app.button(key=f"close_report_{ROLE}").click().run()
    assert "refunds.json" not in words_of(app)


def test_a_file_that_is_not_taken_is_told_and_the_others_are_read(
    services: Services, admin: SignedIn
) -> None:
    app = on_tab(admin, "upkeep")
    files = [
        (".md", b"# Nameless\n\nWords.\n", "text/markdown"),
        ("refunds.json", REFUNDS.encode(), "application/json"),
    ]
    app.file_uploader[0].set_value(files).run()
    app.button(key=f"send_{ROLE}").click().run()
    assert "These files were not taken" in words_of(app)
    again(app, services)
    assert "**refunds.json** · passages: 2" in words_of(app)


def test_a_role_is_started_anew_with_its_uploads(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    app = on_tab(admin, "upkeep")
    app.button(key=f"drop_all_{ROLE}").click().run()
    again(app, services)
    assert services.knowledge.find_passages(ROLE).total == 3


def test_another_name_is_added_refused_and_deleted(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    app = on_tab(admin, "upkeep")
    name, alias = f"knowledge_alias_name_{ROLE}", f"knowledge_alias_other_{ROLE}"
    app.text_input(key=name).set_value("frozen")
    app.text_input(key=alias).set_value("Frozen")
    app.button(key=f"alias_add_{ROLE}").click().run()
    assert "Two different names are needed." in words_of(app)
    assert app.text_input(key=name).value == "frozen"
    app.text_input(key=alias).set_value("deep-cold")
    app.button(key=f"alias_add_{ROLE}").click().run()
    assert "**frozen** = **deep-cold**" in words_of(app)
    assert app.text_input(key=name).value == ""
    found = services.library.search(ROLE, "deep-cold").passages
    assert "Frozen goods" in found[0].content
    kept = services.knowledge.aliases(ROLE)[0]
    app.button(key=f"alias_delete_{ROLE}_{kept.id}").click().run()
    assert services.knowledge.aliases(ROLE) == []


def test_somebody_who_is_no_administrator_reads_everything_and_changes_nothing(
    services: Services, colleague: SignedIn, passages: Sequence[PassageRow]
) -> None:
    app = with_passage(colleague, passage_with(passages, "Frozen"))
    assert "never taken back" in words_of(app)
    assert "Upload and upkeep" not in [tab.label for tab in app.tabs]
    changing = ("edit_", "undo_", "disable_", "drop_", "send_", "alias_", "bring_back_")
    assert [key for key in keys_of(app) if key.startswith(changing)] == []
    documents = on_tab(colleague, "documents", **{KNOWLEDGE_DOCUMENT: (ROLE, "refunds.json")})
    assert "passages: 2" in words_of(documents)
    assert [key for key in keys_of(documents) if key.startswith(changing)] == []


def place(services: Services, pool: ConnectionPool, passages: Sequence[PassageRow]) -> None:
    """Give passages vectors of a model, as the background does."""
    model = EmbeddingModelRow(
        key="toy", name="no-such-model", dimensions=8, token_frame=None, state=IN_FORCE
    )
    add_embedding_model(pool, services.library.table_names, model)
    services.library.resources.models.refresh()
    random = np.random.default_rng(3)
    embeddings = []
    for passage in passages:
        vector = random.normal(size=8).tolist()
        embeddings.append(NewEmbedding(passage_id=passage.id, vector=vector, tokens=None))
    store_embeddings(pool, services.library.table_name(ROLE), "toy", embeddings)


def test_passages_without_vectors_have_no_map_yet(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    assert "There is no map yet" in words_of(on_tab(admin, "map"))


def test_a_map_of_few_passages_says_that_it_cannot_be_judged(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow], pool: ConnectionPool
) -> None:
    place(services, pool, passages)
    app = on_tab(admin, "map")
    assert services.maps.wait_until_drawn(ROLE, SECONDS)
    app.run()
    assert not app.exception
    assert "There are too few passages to say" in words_of(app)
    assert "All 3 passages are shown." in words_of(app)
    assert list(app.dataframe[0].value["File"]) == ["prices.md", "refunds.json", "refunds.json"]
    chosen = passage_with(passages, "Frozen")
    app.session_state[KNOWLEDGE_MAP_PASSAGE] = (ROLE, chosen.id)
    app.run()
    assert "never taken back" in words_of(app)
    app.button(key=f"open_map_{chosen.id}").click().run()
    assert app.session_state[KNOWLEDGE_OPEN].passage_id == chosen.id


def test_a_map_follows_the_knowledge(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow], pool: ConnectionPool
) -> None:
    place(services, pool, passages)
    assert services.maps.current(ROLE).state == "drawing"
    assert services.maps.wait_until_drawn(ROLE, SECONDS)
    drawn = services.maps.current(ROLE)
    assert drawn.state == "ready"
    assert services.maps.current(ROLE) is drawn
    person = services.accounts.person_named("admin")
    services.knowledge.delete_passage(person, ROLE, passages[0].id)
    outdated = services.maps.current(ROLE)
    assert outdated.is_outdated
    assert len(outdated.points) == 3
    assert services.maps.wait_until_drawn(ROLE, SECONDS)
    assert len(services.maps.current(ROLE).points) == 2


def test_every_tab_opens_in_chinese(
    services: Services, admin: SignedIn, passages: Sequence[PassageRow]
) -> None:
    for tab in ("search", "documents", "passages", "map", "upkeep"):
        assert "## 知识库" in words_of(on_tab(admin, tab, "zh-CN"))


def test_what_could_not_be_read_is_told_in_chinese(services: Services, admin: SignedIn) -> None:
    write(services, "broken.pdf", "no pdf at all")
    write(services, "half.json", '[{"title": "A", "content": "Soup is hot."}, {"title": "B"}]')
    read(services)
    app = on_tab(admin, "documents", "zh-CN")
    assert list(app.dataframe[0].value["说明"]) == [
        "这不是 PDF 文件。",
        "第 2 条没有 content，已跳过。",
    ]
    assert f"{ROLE}/broken.pdf：这不是 PDF 文件。" in words_of(app)
    upkeep = on_tab(admin, "upkeep", "zh-CN")
    files = [
        (".md", b"# Nameless\n\nWords.\n", "text/markdown"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(40), "text/plain"),
    ]
    upkeep.file_uploader[0].set_value(files).run()
    upkeep.button(key=f"send_{ROLE}").click().run()
    assert "**.md**：只支持以下格式的文件：.json, .pdf" in words_of(upkeep)
    again(upkeep, services)
    assert "**picture.txt** · 无法读取：这是图片，不是可以读取的文档。" in words_of(upkeep)

from collections.abc import Sequence
from dataclasses import replace

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.errors import KnowledgeError
from meetmind.events import DiscussionEvent, ToolFinished
from meetmind.server.searches import RecordedSearch
from meetmind.server.services import Services
from meetmind.ui.session import (
    RERANK_COMPARE,
    RERANK_PAST,
    RERANK_QUERY,
    RERANK_ROLES,
    SEARCH_PARAMETER,
)
from tests.support.sample_run import before_decision
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

DOCUMENTS = {
    "window.md": "# Window\n\nUnopened goods come back within 14 days of delivery.\n",
    "money.md": "# Money\n\nThe money goes back to the card after the goods arrived.\n",
    "cards.md": "# Gift cards\n\nA gift card is paid out as a new card.\n",
    "carriers.md": "# Carriers\n\nParcels travel with two carriers.\n",
}


@pytest.fixture
def documents(services: Services) -> None:
    folder = services.settings.seed_data_path / "architect"
    folder.mkdir()
    for name, content in DOCUMENTS.items():
        (folder / name).write_text(content, encoding="utf-8")
    services.library.start_ingestion()
    assert services.library.wait_until_idle(30.0)


def on_rerank(person: SignedIn, search_id: str | None = None, locale: str = "en-US") -> AppTest:
    app = app_of(person, locale=locale).run()
    if search_id is not None:
        app.query_params[SEARCH_PARAMETER] = search_id
    app.switch_page("pages/rerank.py").run()
    assert not app.exception
    return app


def asked(app: AppTest, query: str) -> AppTest:
    app.text_input(key=RERANK_QUERY).set_value(query).run()
    assert not app.exception
    return app


def keys_of(elements: Sequence[object], start: str) -> list[str]:
    keys = [str(getattr(element, "key", "")) for element in elements]
    return [key for key in keys if key.startswith(start)]


def passage_id(services: Services, words: str) -> str:
    page = services.knowledge.find_passages("architect", words=words)
    return page.passages[0].id


def past_search(services: Services, pool: ConnectionPool, owner_id: str, query: str) -> str:
    """A search as a run of somebody keeps it; its id."""
    _, run_id = store_run(pool, services, owner_id, f"About {query}")
    search = RecordedSearch(pool, run_id, services.library.search_for_role)
    return search("architect", query, ()).search_ids[0]


def test_the_empty_page_says_what_to_do(services: Services, admin: SignedIn) -> None:
    app = on_rerank(admin)
    assert "Type a question above and press Enter." in words_of(app)
    assert "Searches of your discussions will be listed here" in words_of(app)
    assert "Mark passages above as relevant or not relevant." in words_of(app)


def test_the_page_opens_in_chinese(services: Services, admin: SignedIn) -> None:
    assert "为什么找到了这些，没找到那些？" in words_of(on_rerank(admin, locale="zh-CN"))


def test_a_role_without_documents_finds_nothing_and_says_so(
    services: Services, admin: SignedIn
) -> None:
    assert "Nothing was found" in words_of(asked(on_rerank(admin), "refunds"))


@pytest.mark.usefixtures("documents")
def test_a_search_shows_what_ran_the_answer_and_every_candidate(
    services: Services, admin: SignedIn
) -> None:
    app = asked(on_rerank(admin), "unopened goods zebra")
    shown = words_of(app)
    assert "**Words** · not reranked: order of the fusion" in shown
    assert ":green-background[Unopened goods]" in shown or (
        ":green-background[Unopened] :green-background[goods]" in shown
    )
    assert ":gray-badge[zebra ✕]" in shown
    assert "Candidates: 2 · answered: 2" in shown
    assert len(app.get("plotly_chart")) == 1
    candidates = app.dataframe[1].value
    assert list(candidates["Place"]) == [1, 2]
    assert list(candidates["Words: rank"]) == [1, 2]


@pytest.mark.usefixtures("documents")
def test_added_words_are_marked_as_added(services: Services, admin: SignedIn) -> None:
    app = on_rerank(admin)
    app.text_input(key="rerank_expansion").set_value("carriers， parcels")
    app = asked(app, "goods")
    assert ":violet-badge[carriers] :violet-badge[parcels]" in words_of(app)
    assert ":violet-background[Parcels]" in words_of(app)


@pytest.mark.usefixtures("documents")
def test_only_the_open_role_is_searched_and_no_role_is_asked_for(
    services: Services, admin: SignedIn
) -> None:
    app = asked(on_rerank(admin), "goods")
    app.get_by_key(RERANK_ROLES).set_value(["architect", "tester"]).run()
    assert [tab.label for tab in app.tabs] == ["Architect", "Tester"]
    assert len(app.get("plotly_chart")) == 1
    app.get_by_key(RERANK_ROLES).set_value([]).run()
    assert "Choose at least one role above." in words_of(app)


@pytest.mark.usefixtures("documents")
def test_two_settings_stand_side_by_side_with_what_moved(
    services: Services, admin: SignedIn
) -> None:
    app = on_rerank(admin)
    app.toggle(key=RERANK_COMPARE).set_value(True)
    app = asked(app, "goods")
    assert "#### Settings in force" in words_of(app)
    assert "both answers hold the same passages" in words_of(app)
    app.number_input(key="rerank_try_answer").set_value(1).run()
    assert not app.exception
    assert "was at place 2, no longer in the answer" in words_of(app)
    assert len(keys_of(app.button, "rerank_relevant_left_")) == 2
    assert len(keys_of(app.button, "rerank_relevant_right_")) == 1


@pytest.mark.usefixtures("documents")
def test_settings_that_contradict_each_other_cannot_be_put_in_force(
    services: Services, admin: SignedIn
) -> None:
    app = on_rerank(admin)
    app.toggle(key=RERANK_COMPARE).set_value(True).run()
    app.number_input(key="rerank_try_top").set_value(3).run()
    assert "The answer cannot hold more passages than are kept" in words_of(app)
    assert app.button(key="rerank_put").disabled


@pytest.mark.usefixtures("documents")
def test_an_administrator_puts_settings_in_force_and_goes_back(
    services: Services, admin: SignedIn
) -> None:
    app = on_rerank(admin)
    app.toggle(key=RERANK_COMPARE).set_value(True).run()
    app.number_input(key="rerank_try_answer").set_value(2).run()
    app.button(key="rerank_put").click().run()
    assert not app.exception
    assert "The settings are in force from the next search on." in words_of(app)
    assert services.library.retrieval_settings().rerank_top_n == 2
    app.button(key="rerank_back").click().run()
    assert services.library.retrieval_settings().rerank_top_n == 5
    assert services.library.former_settings().rerank_top_n == 2


def test_nobody_but_an_administrator_can_change_the_settings(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    with pool.connection() as connection:
        connection.execute("update users set is_admin = false")
    app = on_rerank(admin)
    app.toggle(key=RERANK_COMPARE).set_value(True).run()
    assert "An administrator can put them in force." in words_of(app)
    assert keys_of(app.button, "rerank_put") == []


@pytest.mark.usefixtures("documents")
def test_a_mark_is_kept_scored_and_taken_back(services: Services, admin: SignedIn) -> None:
    app = asked(on_rerank(admin), "  unopened   goods ")
    best = passage_id(services, "Unopened")
    app.button(key=f"rerank_relevant_now_{best}").click().run()
    marks = services.searches.judgements_of(admin.id, "architect", "unopened goods")
    assert marks == {best: True}
    assert "Questions: 1 · marks: 1" in words_of(app)
    app.button(key="rerank_score").click().run()
    assert not app.exception
    assert {metric.label: metric.value for metric in app.metric} == {
        "nDCG@10": "1.000",
        "Recall@5": "1.000",
        "MRR": "1.000",
    }
    app.button(key=f"rerank_not_relevant_now_{best}").click().run()
    marks = services.searches.judgements_of(admin.id, "architect", "unopened goods")
    assert marks == {best: False}
    assert "at least one passage that is marked relevant" in words_of(app)
    app.button(key=f"rerank_not_relevant_now_{best}").click().run()
    assert services.searches.judgements_of(admin.id, "architect", "unopened goods") == {}


@pytest.mark.usefixtures("documents")
def test_scores_go_stale_when_a_mark_is_added(services: Services, admin: SignedIn) -> None:
    app = asked(on_rerank(admin), "goods")
    for words in ("Unopened", "money goes back"):
        marked = passage_id(services, words)
        app.button(key=f"rerank_relevant_now_{marked}").click().run()
        assert not app.metric
        app.button(key="rerank_score").click().run()
        assert app.metric
    app.button(key=f"rerank_relevant_now_{marked}").click().run()
    assert "The marks or the settings have changed" in words_of(app)


def why_not(app: AppTest, chosen: str) -> str:
    app.session_state["rerank_why_architect"] = True
    app.run()
    app.selectbox(key="rerank_why_passage_architect").set_value(chosen).run()
    assert not app.exception
    return words_of(app)


@pytest.mark.usefixtures("documents")
def test_why_not_names_the_place_of_a_passage_that_has_the_words(
    services: Services, admin: SignedIn
) -> None:
    one_answer = replace(services.library.retrieval_settings(), rerank_top_n=1, retrieve_top_n=1)
    services.library.choose_settings(one_answer, None)
    app = asked(on_rerank(admin), "unopened goods")
    shown = why_not(app, passage_id(services, "money goes back"))
    assert "Words had it at place 2 of the table, within the first 50." in shown
    assert "The fusion put it at place 2, below the best 1" in shown


@pytest.mark.usefixtures("documents")
def test_why_not_says_that_none_of_the_words_stands_in_a_passage(
    services: Services, admin: SignedIn
) -> None:
    app = asked(on_rerank(admin), "unopened goods")
    chosen = passage_id(services, "two carriers")
    shown = why_not(app, chosen)
    assert "none of the question’s words stands in it. So it was not among the candidates" in shown
    app.button(key=f"rerank_relevant_why_{chosen}").click().run()
    marks = services.searches.judgements_of(admin.id, "architect", "unopened goods")
    assert marks == {chosen: True}


@pytest.mark.usefixtures("documents")
def test_why_not_says_that_a_passage_is_switched_off(services: Services, admin: SignedIn) -> None:
    chosen = passage_id(services, "Unopened")
    person = services.accounts.person_for_token(admin.token)
    assert person is not None
    services.knowledge.set_disabled(person, "architect", chosen, True)
    app = asked(on_rerank(admin), "unopened goods")
    assert "This passage is switched off on the Knowledge page" in why_not(app, chosen)


@pytest.mark.usefixtures("documents")
def test_a_past_search_is_shown_as_it_was_and_asked_again_beside_it(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    search_id = past_search(services, pool, admin.id, "unopened goods")
    gone = passage_id(services, "Unopened")
    person = services.accounts.person_for_token(admin.token)
    assert person is not None
    services.knowledge.delete_passage(person, "architect", gone)
    app = on_rerank(admin, search_id)
    assert "the numbers as they were" in words_of(app)
    assert "Candidates: 2 · answered: 2" in words_of(app)
    assert "the passage has been changed or deleted since then" in words_of(app)
    app.button(key="rerank_ask_again").click().run()
    assert not app.exception
    assert "#### As it was" in words_of(app)
    assert "was at place 1, no longer in the answer" in words_of(app)
    assert "Candidates: 1 · answered: 1" in words_of(app)


@pytest.mark.usefixtures("documents")
def test_past_searches_are_listed_and_one_can_be_worked_on(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    search_id = past_search(services, pool, admin.id, "unopened goods")
    app = on_rerank(admin)
    (label,) = app.selectbox(key=RERANK_PAST).options
    assert label.endswith("· About unopened goods · Architect · unopened goods")
    app.selectbox(key=RERANK_PAST).set_value(search_id).run()
    assert not app.exception
    assert "the numbers as they were" in words_of(app)
    app.button(key="rerank_work_on").click().run()
    assert not app.exception
    assert app.text_input(key=RERANK_QUERY).value == "unopened goods"
    assert "Candidates: 2 · answered: 2" in words_of(app)


@pytest.mark.usefixtures("documents")
def test_a_search_of_somebody_else_is_refused_in_a_sentence(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    other = services.accounts.local_person()
    search_id = past_search(services, pool, other.id, "unopened goods")
    app = on_rerank(admin, search_id)
    assert "There is no such search among yours." in words_of(app)
    assert not app.get("plotly_chart")
    app.button(key="rerank_past_close").click().run()
    assert "Type a question above" in words_of(app)


@pytest.mark.parametrize("search_id", ["nonsense", "' or 1=1", "\x00", "0" * 400])
def test_an_id_that_is_none_is_refused_in_a_sentence(
    services: Services, admin: SignedIn, search_id: str
) -> None:
    assert "There is no such search among yours." in words_of(on_rerank(admin, search_id))


@pytest.mark.usefixtures("documents")
def test_a_question_without_a_word_to_look_for_is_answered_in_a_sentence(
    services: Services, admin: SignedIn
) -> None:
    app = asked(on_rerank(admin), "the of and")
    assert "Nothing was found" in words_of(app)
    assert "No word of this question can be looked for." in words_of(app)


def test_a_search_that_cannot_be_made_is_told_in_a_sentence(
    services: Services, admin: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise KnowledgeError("The table cannot be searched now.")

    monkeypatch.setattr(services.searches, "try_search", refuse)
    app = asked(on_rerank(admin), "refunds")
    assert "The documents cannot be searched at the moment." in words_of(app)


def test_a_search_in_a_discussion_leads_to_its_numbers(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events: list[DiscussionEvent] = []
    for _, event in before_decision("run", "Refunds", "en"):
        if isinstance(event, ToolFinished):
            events.append(replace(event, search_ids=("some-search",)))
        else:
            events.append(event)
    session_id, _ = store_run(pool, services, admin.id, "Refunds", events=events)
    app = app_of(admin, session_id).run()
    assert not app.exception
    links = [link.proto for link in app.get("page_link")]
    to_numbers = [link for link in links if link.label == "Open the numbers"]
    assert to_numbers
    assert to_numbers[0].query_string == "search=some-search"

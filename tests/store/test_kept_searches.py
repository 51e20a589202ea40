"""Searches of discussions as they were, what people judged, and the settings that were chosen."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import PathWeight
from meetmind.config.settings import Settings
from meetmind.database import runs
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.errors import NotFound
from meetmind.server.discussions import Discussions
from meetmind.server.library import Library
from meetmind.server.searches import RecordedSearch, Searches
from tests.store.knowledge import write_entries

ENTRIES = [
    ("Kettles", "Kettles are counted every week and stored on the upper shelf."),
    ("Saucers", "Saucers are stored in the cellar and counted every month."),
    ("茶壶", "茶壶每周盘点一次，存放在上层货架。"),
]
DEADLINE_SECONDS = 30.0


@pytest.fixture
def library(pool: ConnectionPool, tmp_path: Path) -> Iterator[Library]:
    write_entries(tmp_path, "rules.json", ENTRIES)
    library = open_library(pool, tmp_path)
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    yield library
    library.close()


def open_library(pool: ConnectionPool, seeds: Path) -> Library:
    settings = Settings(
        seed_data_path=seeds, meetmind_home=seeds / "home", embedding_model_name="no-such-model"
    )
    return Library(pool, settings)


@pytest.fixture
def searches(pool: ConnectionPool, library: Library) -> Searches:
    return Searches(pool, library)


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    return account(pool, "lin")


def account(pool: ConnectionPool, name: str) -> str:
    insert_user(pool, name, "!")
    user = find_user_by_name(pool, name)
    assert user is not None
    return user.id


def start_run(pool: ConnectionPool, owner_id: str) -> tuple[str, str]:
    discussions = Discussions(pool, lambda owner_id, session_id: None)
    session_id = discussions.create_session(owner_id, "Shelves")
    run_id = runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief="Shelves",
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )
    return session_id, run_id


def test_a_search_of_a_run_is_opened_as_it_was(
    pool: ConnectionPool, library: Library, searches: Searches, owner_id: str, tmp_path: Path
) -> None:
    session_id, run_id = start_run(pool, owner_id)
    search = RecordedSearch(pool, run_id, library.search_for_role)
    found = search("backend", "kettles on the shelf", ("teapot", "茶壶"))
    (search_id,) = found.search_ids

    write_entries(tmp_path, "rules.json", [("Forks", "Forks are new.")])
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    opened = searches.open_search(owner_id, search_id)

    assert (opened,) == found.traces
    assert opened.candidates[0].title == "Kettles"
    assert opened.expansion_terms == ("teapot", "茶壶")
    assert opened.settings == library.retrieval_settings()
    (listed,) = searches.list_searches(owner_id, session_id)
    assert (listed.id, listed.agent_name) == (search_id, "backend")
    assert (listed.query, listed.session_title) == ("kettles on the shelf", "Shelves")
    assert searches.list_searches(owner_id) == [listed]


def test_a_search_of_all_roles_is_kept_a_role(
    pool: ConnectionPool, library: Library, searches: Searches, owner_id: str
) -> None:
    _, run_id = start_run(pool, owner_id)
    found = RecordedSearch(pool, run_id, library.search_for_role)(None, "kettles", ())

    assert len(found.search_ids) == 5
    names = {searches.open_search(owner_id, search_id).agent_name for search_id in found.search_ids}
    assert len(names) == 5


def test_signs_that_cannot_be_stored_stop_no_search(
    pool: ConnectionPool, library: Library, owner_id: str
) -> None:
    _, run_id = start_run(pool, owner_id)
    search = RecordedSearch(pool, run_id, library.search_for_role)

    assert search("backend", "ket\x00tles \ud800", ("tea\x00pot\udfff",)).search_ids


def test_a_search_is_nobody_elses(
    pool: ConnectionPool, library: Library, searches: Searches, owner_id: str
) -> None:
    _, run_id = start_run(pool, owner_id)
    found = RecordedSearch(pool, run_id, library.search_for_role)("backend", "kettles", ())
    stranger_id = account(pool, "max")

    assert searches.list_searches(stranger_id) == []
    for search_id in (*found.search_ids, "00000000-0000-0000-0000-000000000000", "no id"):
        with pytest.raises(NotFound):
            searches.open_search(stranger_id, search_id)


def test_a_search_of_a_run_that_is_gone_still_answers(
    pool: ConnectionPool, library: Library, owner_id: str
) -> None:
    _, run_id = start_run(pool, owner_id)
    with pool.connection() as connection:
        connection.execute("delete from runs")
    found = RecordedSearch(pool, run_id, library.search_for_role)("backend", "kettles", ())

    assert found.passages[0].title == "Kettles"
    assert found.search_ids == ()


def test_other_settings_can_be_tried_and_nothing_is_kept(
    library: Library, searches: Searches, owner_id: str
) -> None:
    tried = replace(library.retrieval_settings(), rerank_top_n=1)
    (trace,) = searches.try_search(["backend"], "counted shelf", tried)

    assert [candidate.cut_by for candidate in trace.candidates] == ["", "answer"]
    assert searches.list_searches(owner_id) == []
    assert library.retrieval_settings().rerank_top_n == 5


def test_a_passage_is_located_on_every_path(library: Library, searches: Searches) -> None:
    (_, second) = library.search("backend", "kettles counted").passages
    place = searches.locate(
        "backend", "kettles counted", library.retrieval_settings(), second.passage_id
    )

    assert place.paths == ("words",)
    assert [(score.path, score.rank) for score in place.path_scores] == [("words", 2)]


def test_a_judgement_is_kept_replaced_and_taken_back(
    pool: ConnectionPool, searches: Searches, owner_id: str
) -> None:
    searches.judge(owner_id, "backend", " kettles \n shelf", "backend_1", True)
    searches.judge(owner_id, "backend", "kettles shelf", "backend_2", True)
    searches.judge(owner_id, "backend", "kettles shelf", "backend_2", False)
    searches.judge(owner_id, "tester", "kettles shelf", "tester_1", True)

    marks = searches.judgements_of(owner_id, "backend", "kettles  shelf")
    assert marks == {"backend_1": True, "backend_2": False}
    assert searches.judged_questions(owner_id) == {
        ("backend", "kettles shelf"): marks,
        ("tester", "kettles shelf"): {"tester_1": True},
    }
    assert searches.judgements_of(account(pool, "max"), "backend", "kettles shelf") == {}

    searches.forget_judgement(owner_id, "backend", "kettles shelf", "backend_2")
    assert searches.judgements_of(owner_id, "backend", "kettles shelf") == {"backend_1": True}


def test_chosen_settings_are_in_force_at_once_and_after_a_restart(
    pool: ConnectionPool, library: Library, owner_id: str, tmp_path: Path
) -> None:
    defaults = library.retrieval_settings()
    weights = (PathWeight(path="words", en=2.0, zh=3.0),)
    first = replace(defaults, rerank_top_n=1, path_weights=weights, half_life_days=30)
    second = replace(first, rerank_top_n=2, reranking="fused")
    library.choose_settings(first, owner_id)
    assert library.former_settings() == defaults
    assert len(library.search("backend", "counted shelf").passages) == 1
    library.choose_settings(second, owner_id)

    assert library.retrieval_settings() == second
    assert library.former_settings() == first
    other = open_library(pool, tmp_path)
    assert other.retrieval_settings() == second
    other.close()


def test_settings_that_cannot_be_read_are_passed_over(
    pool: ConnectionPool, library: Library, owner_id: str, tmp_path: Path
) -> None:
    chosen = replace(library.retrieval_settings(), rerank_top_n=3)
    library.choose_settings(chosen, owner_id)
    with pool.connection() as connection:
        connection.execute("""insert into retrieval_settings (settings) values ('{"depth": 1}')""")
    other = open_library(pool, tmp_path)

    assert other.retrieval_settings() == chosen
    other.close()


def test_a_library_without_its_model_says_so_with_every_search(library: Library) -> None:
    assert library.search("backend", "kettles").degraded == ("embedding_unavailable",)

"""NUL and lone surrogates at every way in of the services and of the address."""

from dataclasses import dataclass

import pytest
from streamlit.testing.v1 import AppTest

from meetmind.errors import EditRefused, NotFound, SignInRefused
from meetmind.server.accounts import Person
from meetmind.server.knowledge_editing import Upload
from meetmind.server.services import Services
from tests.ui.conftest import PASSWORD, SignedIn, app_of

NUL = "before\x00after"
BAD = "before\x00\ud800after"
CLEAN = "beforeafter"
ROLE = "architect"
SECONDS = 30.0


@dataclass(frozen=True)
class Reader:
    """An administrator and the one passage that there is."""

    person: Person
    passage_id: str


@pytest.fixture
def reader(services: Services, admin: SignedIn) -> Reader:
    person = services.accounts.sign_in("admin", PASSWORD)
    upload(services, person, "rules.md", b"# Rules\n\nUnopened goods come back.\n")
    passage = services.knowledge.find_passages(ROLE).passages[0]
    return Reader(person=person, passage_id=passage.id)


def upload(services: Services, person: Person, name: str, raw: bytes) -> None:
    assert services.knowledge.upload(person, ROLE, [Upload(name=name, raw=raw)]) == []
    assert services.library.wait_until_idle(SECONDS)


def test_a_title_a_brief_and_a_search_for_them(
    services: Services,
    admin: SignedIn,
) -> None:
    session_id = services.discussions.create_session(admin.id, BAD)
    assert services.discussions.get_session(admin.id, session_id).title == CLEAN
    services.discussions.rename_session(admin.id, session_id, f"new {BAD}")
    assert services.discussions.list_sessions(admin.id, f"new {BAD}")[0].title == f"new {CLEAN}"
    services.execution.set_pending_thread(admin.id, session_id, BAD, "auto")
    assert services.discussions.list_runs(admin.id, session_id)
    with pytest.raises(NotFound):
        services.discussions.get_session(admin.id, BAD)


def test_a_memory(services: Services, admin: SignedIn) -> None:
    assert services.memory.save_memory(admin.id, BAD).content == CLEAN


def test_a_name_and_a_password(services: Services) -> None:
    with pytest.raises(SignInRefused):
        services.accounts.sign_in(BAD, BAD)
    with pytest.raises(NotFound):
        services.accounts.person_named(BAD)
    assert services.accounts.person_for_token(BAD) is None


def test_an_upload_with_its_name(services: Services, reader: Reader) -> None:
    raw = f"# {BAD}\n\nWords {BAD}.\n".encode("utf-8", "surrogatepass")
    upload(services, reader.person, f"{BAD}.md", raw)
    sources = {document.source for document in services.library.list_documents(ROLE)}
    assert any(source.startswith("before") and source.endswith(".md") for source in sources)
    for passage in services.knowledge.find_passages(ROLE).passages:
        assert "\x00" not in f"{passage.title}{passage.content}{passage.source}"
        f"{passage.title}{passage.content}{passage.source}".encode()


def test_words_that_are_looked_for(services: Services, reader: Reader) -> None:
    assert services.knowledge.find_passages(ROLE, words=BAD).total == 0
    services.library.search(ROLE, f"goods {BAD}")
    settings = services.library.retrieval_settings()
    traces = services.searches.try_search([ROLE], f"goods {BAD}", settings, (BAD,))
    assert traces[0].candidates
    services.searches.locate(ROLE, f"goods {BAD}", settings, reader.passage_id, (BAD,))


def test_a_judgement(services: Services, reader: Reader) -> None:
    services.searches.judge(reader.person.id, ROLE, BAD, reader.passage_id, True)
    judged = services.searches.judgements_of(reader.person.id, ROLE, CLEAN)
    assert judged == {reader.passage_id: True}
    services.searches.forget_judgement(reader.person.id, ROLE, BAD, reader.passage_id)
    assert services.searches.judged_questions(reader.person.id) == {}


def test_ids_that_come_out_of_an_address(services: Services, reader: Reader) -> None:
    with pytest.raises(NotFound):
        services.knowledge.open_passage(ROLE, BAD)
    with pytest.raises(NotFound):
        services.searches.open_past(reader.person.id, BAD)


def test_an_alias_and_an_edit(services: Services, reader: Reader) -> None:
    services.knowledge.add_alias(reader.person, ROLE, BAD, f"other {BAD}")
    assert services.knowledge.aliases(ROLE)[0].alias == f"other {CLEAN}"
    with pytest.raises(EditRefused):
        services.knowledge.add_alias(reader.person, ROLE, BAD, CLEAN)
    edited_id = services.knowledge.edit_passage(reader.person, ROLE, reader.passage_id, BAD, BAD)
    assert services.library.wait_until_idle(SECONDS)
    opened = services.knowledge.open_passage(ROLE, edited_id)
    assert (opened.passage.title, opened.passage.content) == (CLEAN, CLEAN)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("pages/discussion.py", "d"),
        ("pages/knowledge.py", "role"),
        ("pages/knowledge.py", "passage"),
        ("pages/rerank.py", "search"),
    ],
)
def test_a_parameter_of_the_address(
    services: Services, admin: SignedIn, page: str, name: str
) -> None:
    """A lone surrogate cannot stand in an address."""
    app: AppTest = app_of(admin).run()
    app.query_params[name] = f"{ROLE}_{NUL}"
    app.switch_page(page).run()
    assert not app.exception


def test_the_address_of_a_discussion_with_a_bad_character_opens_it(
    services: Services, admin: SignedIn
) -> None:
    session_id = services.discussions.create_session(admin.id, "A discussion of ours")
    app = app_of(admin)
    app.query_params["d"] = f"{session_id}\x00"
    app.run()
    assert not app.exception
    assert any("A discussion of ours" in str(shown.value) for shown in app.markdown)

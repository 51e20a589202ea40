"""The project's own questions: their files, and that each keeps what it promises."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT
from meetmind.errors import DatasetUnreadable, KnowledgeError
from meetmind.evaluation.question_sets import (
    SET_NAMES,
    UNANSWERED_SET_NAMES,
    Answer,
    OwnQuestion,
    answering_ids,
    load_question_set,
)
from meetmind.knowledge.initializer import get_seeds_content
from meetmind.knowledge.loaders import load_document
from meetmind.knowledge.splitters import split_document
from meetmind.knowledge.words import (
    Language,
    detect_language,
    is_asking_term,
    terms_of,
    tokens_of,
)

SEEDS = PROJECT_ROOT / "data" / "seed"
QUESTIONS = PROJECT_ROOT / "data" / "questions"
FEWEST_QUESTIONS = {
    "en": 80,
    "zh": 80,
    "cross_en": 40,
    "cross_zh": 40,
    "unanswered_en": 40,
    "unanswered_zh": 40,
}
ANSWERED_SET_NAMES = tuple(name for name in SET_NAMES if name not in UNANSWERED_SET_NAMES)
OWN_LANGUAGE_SET_NAMES = ("en", "zh")
CROSS_LANGUAGE_SET_NAMES = ("cross_en", "cross_zh")
LARGEST_OVERLAP = 0.30
FEWEST_OF_A_ROLE = 5
FEWEST_OF_A_FORMAT = 5


@dataclass(frozen=True, kw_only=True)
class SeedPassage:
    """A passage as a role's table would hold it."""

    id: str
    source: str
    title: str
    content: str


@pytest.fixture(scope="session")
def passages_by_agent() -> Mapping[str, tuple[SeedPassage, ...]]:
    return {agent_name: tuple(passages_of(agent_name)) for agent_name in AGENT_NAMES}


def passages_of(agent_name: str) -> Iterable[SeedPassage]:
    for file in get_seeds_content(SEEDS, agent_name):
        document = load_document(file.source, file.path.read_bytes())
        for place, piece in enumerate(split_document(document)):
            yield SeedPassage(
                id=f"{file.source}#{place}",
                source=file.source,
                title=piece.title,
                content=piece.content,
            )


@cache
def questions_of(name: str) -> tuple[OwnQuestion, ...]:
    return load_question_set(QUESTIONS, name)


def language_of(name: str) -> Language:
    return "zh" if name.endswith("zh") else "en"


def suffix_of(source: str) -> str:
    return PurePosixPath(source).suffix


def answering(
    question: OwnQuestion, answer: Answer, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> list[SeedPassage]:
    """The passages that hold the quote of one answer."""
    alone = OwnQuestion(
        id=question.id, text=question.text, agent_name=question.agent_name, answers=(answer,)
    )
    passages = passages_by_agent[question.agent_name]
    ids = answering_ids(alone, passages)
    return [passage for passage in passages if passage.id in ids]


def content_terms(text: str) -> set[str]:
    return {token.term for token in tokens_of(text) if not is_asking_term(token)}


def overlap(question: OwnQuestion, passage: SeedPassage) -> float:
    """The share of the question's content terms that stand in the passage, 0 to 1."""
    asked_terms = content_terms(question.text)
    told_terms = set(terms_of(f"{passage.title}\n{passage.content}"))
    return len(asked_terms & told_terms) / len(asked_terms)


@pytest.mark.parametrize("name", SET_NAMES)
def test_a_set_is_large_enough_and_asks_nothing_twice(name: str) -> None:
    questions = questions_of(name)
    texts = {question.text.casefold() for question in questions}

    assert len(questions) >= FEWEST_QUESTIONS[name]
    assert len(texts) == len(questions)


def test_an_id_belongs_to_one_question_of_all_sets() -> None:
    count_by_id = Counter(question.id for name in SET_NAMES for question in questions_of(name))

    assert [id_ for id_, count in count_by_id.items() if count > 1] == []


@pytest.mark.parametrize("name", SET_NAMES)
def test_every_role_is_asked(name: str) -> None:
    count_by_agent = Counter(question.agent_name for question in questions_of(name))

    assert set(count_by_agent) == set(AGENT_NAMES)
    assert min(count_by_agent.values()) >= FEWEST_OF_A_ROLE


@pytest.mark.parametrize("name", OWN_LANGUAGE_SET_NAMES)
def test_every_format_of_the_seed_documents_is_asked(
    name: str, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> None:
    questions = questions_of(name)
    count_by_suffix = Counter(suffix_of(question.answers[0].source) for question in questions)
    seed_suffixes: set[str] = set()
    for passages in passages_by_agent.values():
        seed_suffixes.update(suffix_of(passage.source) for passage in passages)

    assert set(count_by_suffix) == seed_suffixes
    assert min(count_by_suffix.values()) >= FEWEST_OF_A_FORMAT


@pytest.mark.parametrize("name", SET_NAMES)
def test_a_question_is_in_the_language_of_its_set(name: str) -> None:
    for question in questions_of(name):
        assert detect_language(question.text) == language_of(name), question.text


@pytest.mark.parametrize("name", ANSWERED_SET_NAMES)
def test_every_quote_stands_in_exactly_one_passage_of_its_document(
    name: str, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> None:
    for question in questions_of(name):
        for answer in question.answers:
            passages = answering(question, answer, passages_by_agent)
            assert len(passages) == 1, (question.id, answer)


@pytest.mark.parametrize("name", OWN_LANGUAGE_SET_NAMES)
def test_a_question_is_answered_in_its_own_language(
    name: str, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> None:
    for question in questions_of(name):
        passages = passages_by_agent[question.agent_name]
        ids = answering_ids(question, passages)
        languages = {detect_language(passage.content) for passage in passages if passage.id in ids}
        assert language_of(name) in languages, question.id


@pytest.mark.parametrize("name", CROSS_LANGUAGE_SET_NAMES)
def test_a_question_across_languages_is_answered_only_in_the_other_one(
    name: str, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> None:
    for question in questions_of(name):
        for answer in question.answers:
            (passage,) = answering(question, answer, passages_by_agent)
            assert detect_language(passage.content) != language_of(name), question.id


@pytest.mark.parametrize("name", ANSWERED_SET_NAMES)
def test_a_question_shares_few_of_its_words_with_the_passage_that_answers(
    name: str, passages_by_agent: Mapping[str, tuple[SeedPassage, ...]]
) -> None:
    for question in questions_of(name):
        (passage,) = answering(question, question.answers[0], passages_by_agent)
        assert overlap(question, passage) <= LARGEST_OVERLAP, (question.id, question.text)


def test_no_document_holds_the_text_of_a_question(
    passages_by_agent: Mapping[str, tuple[SeedPassage, ...]],
) -> None:
    all_passages = [passage for passages in passages_by_agent.values() for passage in passages]
    whole_text = "\n".join(f"{passage.title}\n{passage.content}" for passage in all_passages)
    plain_text = whole_text.casefold()

    for name in SET_NAMES:
        for question in questions_of(name):
            assert question.text.casefold() not in plain_text, question.id


def test_a_quote_is_found_across_other_white_space_but_only_in_its_document() -> None:
    question = OwnQuestion(
        id="q1",
        text="When is the money back?",
        agent_name="backend",
        answers=(Answer(source="refunds.pdf", quote="Money goes back within five days."),),
    )
    passages = (
        SeedPassage(
            id="a", source="refunds.pdf", title="", content="Money goes\nback within five days."
        ),
        SeedPassage(
            id="b", source="other.pdf", title="", content="Money goes back within five days."
        ),
        SeedPassage(
            id="c", source="refunds.pdf", title="", content="Parcels leave within two days."
        ),
    )

    assert answering_ids(question, passages) == {"a"}


GOOD_LINE = (
    '{"id": "en-001", "text": "When?", "agent": "backend", '
    '"answers": [{"source": "a.md", "quote": "Within five days."}]}'
)
NO_ANSWER = '{"id": "en-001", "text": "When?", "agent": "backend", "answers": []}'


@pytest.mark.parametrize(
    ("bad_line", "complaint"),
    [
        ("{", "Invalid JSON"),
        ('{"id": "en-002", "text": " ", "agent": "backend", "answers": []}', "text"),
        ('{"id": "en-002", "text": "When?", "answers": []}', "agent"),
        ('{"id": "en-002", "text": "When?", "agent": "b", "answers": [{"source": "a"}]}', "quote"),
        (NO_ANSWER.replace("001", "002"), "at least one answer is expected"),
        (GOOD_LINE, "the id en-001 is taken already"),
    ],
)
def test_a_bad_line_is_told_with_its_file_and_number(
    bad_line: str, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "en.jsonl"
    file.write_text(f"{GOOD_LINE}\n\n{bad_line}\n", encoding="utf-8")

    with pytest.raises(DatasetUnreadable) as caught:
        load_question_set(tmp_path, "en")

    assert f"{file}, line 3: " in str(caught.value)
    assert complaint in str(caught.value)


def test_an_answer_in_an_unanswered_set_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "unanswered_en.jsonl").write_text(GOOD_LINE, encoding="utf-8")

    with pytest.raises(KnowledgeError, match="no answer is expected"):
        load_question_set(tmp_path, "unanswered_en")


@pytest.mark.parametrize("name", ["en", "de"])
def test_a_missing_or_unknown_set_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=name):
        load_question_set(tmp_path, name)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "en.jsonl").write_text("\n", encoding="utf-8")

    with pytest.raises(KnowledgeError, match="there is no question"):
        load_question_set(tmp_path, "en")

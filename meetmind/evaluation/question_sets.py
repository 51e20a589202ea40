"""The project's own questions about its seed documents, and the passages that answer them.

A set is a file `<name>.jsonl` in UTF-8 with one question a line:

{"id": ..., "text": ..., "agent": ..., "answers": [{"source": ..., "quote": ...}, ...]}

`zh` and `en` are answered in the language of the question. The answers to `cross_en` (questions in
English) stand only in Chinese passages, those to `cross_zh` only in English ones. The tables answer
nothing of `unanswered_zh` and `unanswered_en`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from meetmind.errors import DatasetUnreadable

SET_NAMES = ("en", "zh", "cross_en", "cross_zh", "unanswered_en", "unanswered_zh")
UNANSWERED_SET_NAMES = ("unanswered_en", "unanswered_zh")

Filled = Annotated[str, StringConstraints(strict=True, pattern=r"\S")]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A piece of a document that answers a question."""

    source: str
    """The document, named as in the table of the role."""
    quote: str
    """A literal piece of the passage that answers."""


@dataclass(frozen=True, kw_only=True)
class OwnQuestion:
    """A question to the documents of one role."""

    id: str
    text: str
    agent_name: str
    answers: tuple[Answer, ...]
    """Every passage of the role that answers, the best first; none in the unanswered sets."""


class QuotedPassage(Protocol):
    """What must be known of a passage to say whether it answers."""

    @property
    def id(self) -> str:
        """The passage's own name in its table."""

    @property
    def source(self) -> str:
        """The document that it comes from."""

    @property
    def content(self) -> str:
        """Its text, without the title."""


class AnswerFields(BaseModel):
    """An answer as it stands in the file."""

    model_config = ConfigDict(extra="forbid")

    source: Filled
    quote: Filled


class QuestionFields(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid")

    id: Filled
    text: Filled
    agent: Filled
    answers: list[AnswerFields]


def load_question_set(folder: Path, name: str) -> tuple[OwnQuestion, ...]:
    """The questions of a set in the order of its file.

    Raises `DatasetUnreadable`, a `KnowledgeError`, with the file and the line when anything in it
    is wrong.
    """
    if name not in SET_NAMES:
        raise DatasetUnreadable(f"There is no set of questions {name!r}.")
    path = folder / f"{name}.jsonl"
    must_be_answered = name not in UNANSWERED_SET_NAMES
    questions: list[OwnQuestion] = []
    seen_ids: set[str] = set()
    for number, line in _lines_of(path):
        question = _question_in(line, where=f"{path}, line {number}")
        if question.id in seen_ids:
            raise DatasetUnreadable(
                f"{path}, line {number}: the id {question.id} is taken already."
            )
        if must_be_answered != bool(question.answers):
            expected = "at least one answer" if must_be_answered else "no answer"
            raise DatasetUnreadable(f"{path}, line {number}: {expected} is expected in this set.")
        seen_ids.add(question.id)
        questions.append(question)
    if not questions:
        raise DatasetUnreadable(f"{path}: there is no question in it.")
    return tuple(questions)


def answering_ids(question: OwnQuestion, passages: Iterable[QuotedPassage]) -> set[str]:
    """The ids of those passages of the question's role that answer it.

    White space is no difference: readers of a format may break lines elsewhere.
    """
    quotes_by_source: dict[str, list[str]] = {}
    for answer in question.answers:
        quote = _without_space(answer.quote)
        quotes_by_source.setdefault(answer.source, []).append(quote)
    found_ids: set[str] = set()
    for passage in passages:
        quotes = quotes_by_source.get(passage.source, [])
        if quotes and _holds_any(passage.content, quotes):
            found_ids.add(passage.id)
    return found_ids


def _holds_any(content: str, quotes: list[str]) -> bool:
    plain_content = _without_space(content)
    return any(quote in plain_content for quote in quotes)


def _without_space(text: str) -> str:
    return "".join(text.split())


def _lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _question_in(line: bytes, *, where: str) -> OwnQuestion:
    try:
        fields = QuestionFields.model_validate_json(line)
    except ValidationError as error:
        first_fault = error.errors(include_url=False)[0]
        field_name = ".".join(str(part) for part in first_fault["loc"]) or "the line"
        raise DatasetUnreadable(f"{where}: {field_name}: {first_fault['msg']}.") from error
    answers = tuple(Answer(source=answer.source, quote=answer.quote) for answer in fields.answers)
    return OwnQuestion(id=fields.id, text=fields.text, agent_name=fields.agent, answers=answers)

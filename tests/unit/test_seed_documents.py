"""The seed documents: enough of them, in both languages and all formats, and no text twice."""

import io
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from pypdf import PdfReader

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT
from meetmind.knowledge.documents import LoadedDocument, Piece
from meetmind.knowledge.initializer import get_seeds_content
from meetmind.knowledge.loaders import load_document
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.splitters import split_document
from meetmind.knowledge.words import detect_language

SEEDS = PROJECT_ROOT / "data" / "seed"
CONTRADICTIONS = PROJECT_ROOT / "tests" / "data" / "contradictions.json"
FEWEST_DOCUMENTS = 12
SEED_SUFFIXES = {".json", ".pdf", ".docx", ".md", ".txt"}
FEWEST_PASSAGES = 60
FEWEST_CHARACTERS = 18_000
SHORTEST_SHARED_SENTENCE = 16


@pytest.fixture(scope="module")
def documents() -> dict[str, list[LoadedDocument]]:
    loaded: dict[str, list[LoadedDocument]] = {}
    for agent_name in AGENT_NAMES:
        files = get_seeds_content(SEEDS, agent_name)
        loaded[agent_name] = [load_document(file.source, file.path.read_bytes()) for file in files]
    return loaded


@pytest.fixture(scope="module")
def pieces(documents: dict[str, list[LoadedDocument]]) -> dict[str, list[tuple[str, Piece]]]:
    split: dict[str, list[tuple[str, Piece]]] = defaultdict(list)
    for agent_name, loaded in documents.items():
        for document in loaded:
            for piece in split_document(document):
                split[agent_name].append((f"{agent_name}/{document.source}", piece))
    return split


@pytest.mark.parametrize("agent_name", AGENT_NAMES)
def test_a_role_has_enough_documents_passages_and_characters(
    agent_name: str,
    documents: dict[str, list[LoadedDocument]],
    pieces: dict[str, list[tuple[str, Piece]]],
) -> None:
    characters = sum(len(piece.content) for _, piece in pieces[agent_name])

    assert len(documents[agent_name]) >= FEWEST_DOCUMENTS
    assert len(pieces[agent_name]) >= FEWEST_PASSAGES
    assert characters >= FEWEST_CHARACTERS


@pytest.mark.parametrize("agent_name", AGENT_NAMES)
def test_about_half_of_a_role_is_in_each_language(
    agent_name: str, pieces: dict[str, list[tuple[str, Piece]]]
) -> None:
    languages = Counter(detect_language(piece.content) for _, piece in pieces[agent_name])
    chinese_share = languages["zh"] / languages.total()

    assert 0.4 <= chinese_share <= 0.6


@pytest.mark.parametrize("agent_name", AGENT_NAMES)
def test_a_role_has_every_format(
    agent_name: str, documents: dict[str, list[LoadedDocument]]
) -> None:
    suffixes = {Path(document.source).suffix for document in documents[agent_name]}

    assert suffixes == SEED_SUFFIXES


@pytest.mark.parametrize("agent_name", AGENT_NAMES)
def test_every_pdf_has_three_pages_and_a_table(
    agent_name: str, documents: dict[str, list[LoadedDocument]]
) -> None:
    for document in documents[agent_name]:
        if document.source.endswith(".pdf"):
            raw = (SEEDS / agent_name / document.source).read_bytes()
            blocks = [block for section in document.sections for block in section.blocks]
            assert len(PdfReader(io.BytesIO(raw)).pages) >= 3, document.source
            assert any(block.kind == "table" for block in blocks), document.source


def test_every_document_is_read_without_a_complaint(
    documents: dict[str, list[LoadedDocument]],
) -> None:
    for loaded in documents.values():
        for document in loaded:
            assert document.notes == ()


def test_a_passage_is_neither_a_scrap_nor_a_wall(
    pieces: dict[str, list[tuple[str, Piece]]],
) -> None:
    for named_pieces in pieces.values():
        for source, piece in named_pieces:
            assert 120 <= len(piece.content) <= 1_000, (source, piece.title)


def test_no_sentence_stands_in_two_documents(
    pieces: dict[str, list[tuple[str, Piece]]],
) -> None:
    sources_by_sentence: dict[str, set[str]] = defaultdict(set)
    for named_pieces in pieces.values():
        for source, piece in named_pieces:
            for sentence in split_sentences(piece.content):
                plain = re.sub(r"\s+", " ", sentence).strip(" -|")
                if len(plain) >= SHORTEST_SHARED_SENTENCE:
                    sources_by_sentence[plain].add(source)
    shared = {text: names for text, names in sources_by_sentence.items() if len(names) > 1}

    assert shared == {}


def test_at_least_six_pairs_of_roles_contradict_each_other(
    pieces: dict[str, list[tuple[str, Piece]]],
) -> None:
    contradictions = json.loads(CONTRADICTIONS.read_text(encoding="utf-8"))
    contents: dict[str, str] = defaultdict(str)
    for named_pieces in pieces.values():
        for source, piece in named_pieces:
            contents[source] += f"\n{piece.content}"

    assert len(contradictions) >= 6
    for contradiction in contradictions:
        first, second = contradiction["sides"]
        assert first["agent"] != second["agent"]
        for side in (first, second):
            content = contents[f"{side['agent']}/{side['document']}"]
            assert side["sentence"] in content, contradiction["id"]


def test_the_documents_do_not_speak_of_this_program(
    pieces: dict[str, list[tuple[str, Piece]]],
) -> None:
    for named_pieces in pieces.values():
        for source, piece in named_pieces:
            assert "meetmind" not in piece.content.lower(), source

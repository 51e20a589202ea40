"""The text of a file as a role reads it: of text files, and of documents that people attach."""

from collections.abc import Iterator
from dataclasses import dataclass

from meetmind.errors import DocumentUnreadable, ToolError
from meetmind.knowledge.documents import LoadedDocument, Section
from meetmind.knowledge.loaders import suffix_of
from meetmind.knowledge.reading import DocumentReader
from meetmind.tools.files.file_content import MAX_BYTES
from meetmind.tools.files.line_ends import count_ends, with_lf
from meetmind.tools.files.text_files import decode_file

DOCUMENT_SUFFIXES = (".pdf", ".docx", ".pptx", ".xlsx")
MOST_DOCUMENT_BYTES = 20_000_000
LONGEST_READING_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class ReadableText:
    """Lines without their ends, and how the file keeps them."""

    lines: tuple[str, ...]
    ends_with_line_end: bool
    encoding: str
    line_ends: str
    notes: tuple[str, ...] = ()


def readable_text(path: str, content: bytes) -> ReadableText:
    """The text in the bytes of a file; raises `ToolError` where there is none."""
    if suffix_of(path) in DOCUMENT_SUFFIXES:
        return _text_of_document(path, content)
    if len(content) > MAX_BYTES:
        raise ToolError(
            f"{path!r} is larger than {MAX_BYTES} bytes. Find what you need with grep.",
            reason="too_large",
        )
    decoded = decode_file(path, content)
    ends = sorted(count_ends(decoded.text))
    return ReadableText(
        lines=_lines(with_lf(decoded.text)),
        ends_with_line_end=decoded.text.endswith(("\n", "\r")),
        encoding=decoded.encoding_name,
        line_ends=" and ".join(ends),
    )


def _text_of_document(path: str, content: bytes) -> ReadableText:
    """The text of a PDF or an office file, read in a process of its own."""
    try:
        with DocumentReader(time_limit=LONGEST_READING_SECONDS) as reader:
            document = reader.read(path, content)
    except DocumentUnreadable as error:
        raise ToolError(
            f"{path!r} cannot be read: {error} Go on without it.", reason="not_text"
        ) from None
    text = "\n\n".join(_paragraphs(document))
    return ReadableText(
        lines=_lines(text),
        ends_with_line_end=False,
        encoding="text of the document",
        line_ends="",
        notes=tuple(str(note) for note in document.notes),
    )


def _paragraphs(document: LoadedDocument) -> Iterator[str]:
    page = 0
    for section in document.sections:
        heading = section.title or section.heading
        if heading:
            yield f"# {heading}"
        for block_page, paragraph in _blocks(section):
            if block_page and block_page != page:
                page = block_page
                yield f"[page {page}]"
            yield paragraph


def _blocks(section: Section) -> Iterator[tuple[int, str]]:
    for block in section.blocks:
        yield block.page, block.text


def _lines(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    return tuple(text.removesuffix("\n").split("\n"))

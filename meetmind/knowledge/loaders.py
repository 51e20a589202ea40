"""Files to documents: limits first, one reader a format, every fault as one sentence."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from meetmind.errors import DocumentUnreadable
from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted, unreadable
from meetmind.knowledge.documents import Block, LoadedDocument, Section
from meetmind.knowledge.encodings import clean_line, clean_text
from meetmind.knowledge.formats.excel import read_excel
from meetmind.knowledge.formats.html import read_html
from meetmind.knowledge.formats.lines import LONGEST_TITLE
from meetmind.knowledge.formats.markdown import read_markdown
from meetmind.knowledge.formats.pdf import read_pdf
from meetmind.knowledge.formats.plain_text import read_plain_text
from meetmind.knowledge.formats.powerpoint import read_powerpoint
from meetmind.knowledge.formats.seed_json import read_seed_json
from meetmind.knowledge.formats.separated_values import read_separated_values
from meetmind.knowledge.formats.signatures import NEW_SUFFIX, true_suffix
from meetmind.knowledge.formats.word import read_word
from meetmind.redaction import redact_private_keys, redact_text

SUPPORTED_SUFFIXES = (
    ".json",
    ".pdf",
    ".docx",
    ".pptx",
    ".xlsx",
    ".csv",
    ".tsv",
    ".html",
    ".htm",
    ".md",
    ".txt",
)
MOST_BYTES = 50_000_000
MOST_CHARACTERS = 4_500_000
"""About what the passages that are kept of one document can hold."""
LONGEST_NAME_SHOWN = 120

# What the name or title of a document says about its type; the first that fits wins.
TYPE_BY_WORD = (
    ("incident", "incident"),
    ("postmortem", "incident"),
    ("事故", "incident"),
    ("复盘", "incident"),
    ("faq", "faq"),
    ("常见问题", "faq"),
    ("问答", "faq"),
    ("interview", "interview"),
    ("访谈", "interview"),
    ("metric", "metrics"),
    ("指标", "metrics"),
    ("adr", "decision"),
    ("decision", "decision"),
    ("决策", "decision"),
    ("rule", "rule"),
    ("规则", "rule"),
)
DEFAULT_TYPE = "guideline"

logger = logging.getLogger(__name__)


def load_document(source: str, raw: bytes) -> LoadedDocument:
    """The document in the bytes of the file `source`; its suffix names the format.

    Raises `DocumentUnreadable` with the reason in one sentence.
    """
    if not raw.strip():
        raise unreadable("empty")
    if len(raw) > MOST_BYTES:
        raise unreadable("too_large", megabytes=MOST_BYTES // 1_000_000)
    title, sections, notes = _read(source, raw)
    clean_sections, is_cut = _bounded(_cleaned(section) for section in sections)
    if is_cut:
        notes = [*notes, noted("characters_cut", limit=f"{MOST_CHARACTERS:,}")]
    clean_sections, secret_notes = _without_secrets(clean_sections)
    notes = [*notes, *secret_notes]
    if not any(section.blocks for section in clean_sections):
        raise unreadable("no_text")
    document_title = clean_line(_safe_text(title), LONGEST_TITLE) or _title_from_name(source)
    return LoadedDocument(
        source=clean_text(source),
        title=document_title,
        doc_type=_guessed_type(source, document_title),
        sections=tuple(clean_sections),
        notes=tuple(notes),
    )


def shown_name(source: str) -> str:
    """The name of a file as it can be shown: one line, of bounded length, its end kept."""
    name = clean_line(source, longest=len(source) + 1)
    if len(name) <= LONGEST_NAME_SHOWN:
        return name
    suffix = name[-20:]
    return name[: LONGEST_NAME_SHOWN - len(suffix) - 1] + "…" + suffix


def _read(source: str, raw: bytes) -> tuple[str, list[Section], list[Note]]:
    named_suffix = suffix_of(source)
    suffix = named_suffix
    try:
        if not named_suffix:
            raise unreadable("no_suffix")
        if named_suffix not in SUPPORTED_SUFFIXES and named_suffix not in NEW_SUFFIX:
            raise unreadable("unknown_kind", suffix=named_suffix)
        suffix = true_suffix(raw, named_suffix)
        title, sections, notes = _read_as(suffix, raw)
    except (DocumentUnreadable, MemoryError):
        raise
    except Exception as error:
        # A parser of a foreign format may raise anything on a broken file, and one bad file
        # must never end the ingestion of the others.
        logger.info("%s could not be read", shown_name(source), exc_info=True)
        name = type(error).__name__
        raise unreadable("damaged", suffix=suffix, fault=name) from error
    if suffix != named_suffix and (suffix, named_suffix) != (".html", ".htm"):
        notes = [noted("named_otherwise", named=named_suffix, suffix=suffix), *notes]
    return title, sections, notes


def _read_as(suffix: str, raw: bytes) -> tuple[str, list[Section], list[Note]]:
    if suffix == ".json":
        return "", *read_seed_json(raw)
    if suffix == ".pdf":
        return read_pdf(raw)
    if suffix == ".docx":
        return *read_word(raw), []
    if suffix == ".pptx":
        return read_powerpoint(raw)
    if suffix == ".xlsx":
        return read_excel(raw)
    if suffix in (".csv", ".tsv"):
        return "", *read_separated_values(raw, suffix)
    if suffix in (".html", ".htm"):
        return *read_html(raw), []
    if suffix == ".md":
        return *read_markdown(raw), []
    return *read_plain_text(raw), []


def suffix_of(source: str) -> str:
    """The suffix of a file's name in lower case, with nothing invisible in it."""
    name = clean_line(source, longest=len(source) + 1)
    return PurePosixPath(name).suffix.lower()


def _cleaned(section: Section) -> Section:
    """The section with a heading of one line, whatever its format let through."""
    blocks: list[Block] = []
    for block in section.blocks:
        text = clean_text(block.text)
        if text.strip():
            blocks.append(replace(block, text=text))
    return replace(
        section,
        heading=clean_line(_safe_text(section.heading)),
        title=clean_line(_safe_text(section.title), LONGEST_TITLE),
        summary=_safe_text(section.summary),
        blocks=tuple(blocks),
    )


def _safe_text(text: str) -> str:
    """A title or a summary without secrets, masked before it is cut to its length."""
    return redact_text(clean_text(text)).text


def _bounded(sections: Iterable[Section]) -> tuple[list[Section], bool]:
    """The sections up to `MOST_CHARACTERS`, and whether something was left out."""
    room = MOST_CHARACTERS
    kept: list[Section] = []
    for section in sections:
        blocks: list[Block] = []
        for block in section.blocks:
            if len(block.text) > room:
                blocks.append(replace(block, text=block.text[:room]))
                kept.append(replace(section, blocks=tuple(blocks)))
                return kept, True
            blocks.append(block)
            room -= len(block.text)
        kept.append(section)
    return kept, False


def _without_secrets(sections: list[Section]) -> tuple[list[Section], list[Note]]:
    """The sections with the secrets of their blocks masked before any is cut in two, and notes."""
    key_count = 0
    secret_count = 0
    redacted_sections: list[Section] = []
    for section in sections:
        blocks: list[Block] = []
        for block in section.blocks:
            without_keys = redact_private_keys(block.text)
            redacted = redact_text(without_keys.text)
            key_count += without_keys.count
            secret_count += redacted.count
            blocks.append(replace(block, text=redacted.text))
        redacted_sections.append(replace(section, blocks=tuple(blocks)))
    notes: list[Note] = []
    if key_count:
        notes.append(noted("private_keys", count=key_count))
    if secret_count:
        notes.append(noted("secrets", count=secret_count))
    return redacted_sections, notes


def _title_from_name(source: str) -> str:
    """`cart-and-account-api-zh.json` reads as `Cart and account api`."""
    stem = PurePosixPath(shown_name(source)).stem.replace("_", "-")
    words = [word for word in stem.split("-") if word]
    if len(words) > 1 and words[-1] in ("zh", "en"):
        words.pop()
    name = " ".join(words).lstrip(". ")
    return (name[:1].upper() + name[1:]) or "Document"


def _guessed_type(source: str, title: str) -> str:
    name = f"{source} {title}".lower()
    for word, doc_type in TYPE_BY_WORD:
        if word in name:
            return doc_type
    return DEFAULT_TYPE

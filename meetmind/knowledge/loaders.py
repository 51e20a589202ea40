"""Files to documents: limits first, one reader a format, every fault as one sentence."""

import logging
from pathlib import PurePosixPath

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import LoadedDocument, Section
from meetmind.knowledge.formats.markdown import read_markdown
from meetmind.knowledge.formats.pdf import read_pdf
from meetmind.knowledge.formats.plain_text import read_plain_text
from meetmind.knowledge.formats.seed_json import read_seed_json
from meetmind.knowledge.formats.word import read_word

SUPPORTED_SUFFIXES = (".json", ".pdf", ".docx", ".md", ".txt")
MOST_BYTES = 50_000_000

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
        raise DocumentUnreadable("The file is empty.")
    if len(raw) > MOST_BYTES:
        raise DocumentUnreadable(f"The file is larger than {MOST_BYTES // 1_000_000} MB.")
    title, sections, notes = _read(source, raw)
    if not any(section.blocks for section in sections):
        raise DocumentUnreadable("The file holds no text.")
    document_title = title or _title_from_name(source)
    return LoadedDocument(
        source=source,
        title=document_title,
        doc_type=_guessed_type(source, document_title),
        sections=tuple(sections),
        notes=tuple(notes),
    )


def _read(source: str, raw: bytes) -> tuple[str, list[Section], list[str]]:
    suffix = PurePosixPath(source).suffix.lower()
    try:
        if suffix == ".json":
            sections, notes = read_seed_json(raw)
            return "", sections, notes
        if suffix == ".pdf":
            return read_pdf(raw)
        if suffix == ".docx":
            return *read_word(raw), []
        if suffix == ".md":
            return *read_markdown(raw), []
        if suffix == ".txt":
            return *read_plain_text(raw), []
    except DocumentUnreadable:
        raise
    except Exception as error:
        # A parser of a foreign format may raise anything on a broken file, and one bad file
        # must never end the ingestion of the others.
        logger.info("%s could not be read", source, exc_info=True)
        name = type(error).__name__
        raise DocumentUnreadable(
            f"The file is damaged: it is no valid {suffix} ({name})."
        ) from error
    raise DocumentUnreadable(f"Files of this kind ({suffix or 'no suffix'}) are not read.")


def _title_from_name(source: str) -> str:
    """`cart-and-account-api-zh.json` reads as `Cart and account api`."""
    words = PurePosixPath(source).stem.replace("_", "-").split("-")
    if len(words) > 1 and words[-1] in ("zh", "en"):
        words.pop()
    name = " ".join(words)
    return name[:1].upper() + name[1:]


def _guessed_type(source: str, title: str) -> str:
    name = f"{source} {title}".lower()
    for word, doc_type in TYPE_BY_WORD:
        if word in name:
            return doc_type
    return DEFAULT_TYPE

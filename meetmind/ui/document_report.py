"""What is said about a document that was not read or in part only, in the language of the page."""

from typing import TYPE_CHECKING

from meetmind.i18n.document_notes import ReadingFailure, failure_text, report_text
from meetmind.ui.language import current_language, text
from meetmind.ui.safe_text import safe_label

if TYPE_CHECKING:
    from meetmind.server.knowledge_editing import UploadRefusal
    from meetmind.server.knowledge_rows import DocumentSummary


def document_report(document: "DocumentSummary") -> str:
    """Why a document could not be read, or what was left out of it; empty where nothing was."""
    return report_text(document.report_parts, document.report, current_language())


def failure_line(failure: ReadingFailure) -> str:
    """A failure as harmless Markdown, its file first."""
    return safe_label(failure_text(failure, current_language()))


def refusal_line(refusal: "UploadRefusal") -> str:
    """An upload that was not taken, as harmless Markdown, its name first."""
    reason = report_text([refusal.note], refusal.reason, current_language())
    name = safe_label(refusal.name)
    return text("ingest.failure", place=f"**{name}**", reason=safe_label(reason))

"""Draws the upload of documents, and how far each uploaded file is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.server.knowledge_editing import KnowledgeEditing, Upload
from meetmind.ui.document_report import document_report, refusal_line
from meetmind.ui.fault import polling
from meetmind.ui.knowledge_change import change_knowledge, leave_change_notice, show_change_notice
from meetmind.ui.language import text
from meetmind.ui.roles import role_title
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import KNOWLEDGE_UPLOAD_ROUND, KNOWLEDGE_UPLOADS, current_services
from meetmind.ui.show_ingestion import AT_WORK
from meetmind.ui.uploader_words import show_uploader_words

if TYPE_CHECKING:
    from meetmind.server.knowledge_rows import DocumentSummary
    from meetmind.server.services import Services

POLL_SECONDS = 1.0
PLACE = "upload"
FIELD = "upload_field"
MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SentFile:
    """A file that was handed over in this tab."""

    source: str
    read_before: datetime | None
    """When a document of this name was read last before; None when it is new."""


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """How far a file is, in one line."""

    sign: str
    is_done: bool
    sentence: str


def show_uploads(services: "Services", role: str) -> None:
    """The field for files, and the report on those that were sent."""
    limit = services.knowledge.most_bytes // MEGABYTE
    st.markdown(f"**{text('knowledge.upload')}**")
    st.caption(text("knowledge.upload_text", role=role_title(role)))
    key = f"upload_{role}_{st.session_state.get(KNOWLEDGE_UPLOAD_ROUND, 0)}"
    formats = [suffix.removeprefix(".") for suffix in services.knowledge.suffixes]
    with st.container(key=FIELD):
        show_uploader_words(FIELD)
        files = st.file_uploader(
            text("knowledge.upload_label"),
            type=formats,
            accept_multiple_files=True,
            key=key,
            label_visibility="collapsed",
        )
    st.caption(text("knowledge.upload_formats", formats=", ".join(formats), limit=limit))
    st.button(
        text("knowledge.upload_send"),
        key=f"send_{role}",
        type="primary",
        icon=":material/upload:",
        disabled=not files,
        on_click=on_upload,
        args=(role, key),
    )
    show_change_notice(PLACE)
    if _sent_files(role):
        _show_sent(services, role)


def on_upload(role: str, key: str) -> None:
    """Keep the files and begin to read them."""
    files = st.session_state.get(key) or []
    uploads = [Upload(name=file.name, raw=file.getvalue()) for file in files]
    documents = current_services().library.list_documents(role)
    read_at = {document.source: document.ingested_at for document in documents}
    refusals = change_knowledge(
        PLACE, lambda knowledge, person: knowledge.upload(person, role, uploads)
    )
    if refusals is None:
        return
    if refusals:
        lines = [refusal_line(refusal) for refusal in refusals]
        sentence = text("knowledge.upload_refused") + "\n\n" + "\n\n".join(lines)
        leave_change_notice(PLACE, sentence, "error")
    refused_names = {refusal.name for refusal in refusals}
    sent_by_source: dict[str, SentFile] = {}
    for upload in uploads:
        if upload.name not in refused_names:
            source = KnowledgeEditing.kept_name(upload.name)
            sent_by_source[source] = SentFile(source=source, read_before=read_at.get(source))
    if not sent_by_source:
        return
    st.session_state.setdefault(KNOWLEDGE_UPLOADS, {})[role] = list(sent_by_source.values())
    # Another key empties the field.
    st.session_state[KNOWLEDGE_UPLOAD_ROUND] = st.session_state.get(KNOWLEDGE_UPLOAD_ROUND, 0) + 1


def on_close_report(role: str) -> None:
    """Take the report on the sent files away."""
    st.session_state.get(KNOWLEDGE_UPLOADS, {}).pop(role, None)


def _sent_files(role: str) -> list[SentFile]:
    sent: list[SentFile] = st.session_state.get(KNOWLEDGE_UPLOADS, {}).get(role, [])
    return sent


def _show_sent(services: "Services", role: str) -> None:
    if services.library.progress().state in AT_WORK:
        _show_moving_report(role)
        return
    _show_report(services, role)
    st.button(
        text("knowledge.upload_close"),
        key=f"close_report_{role}",
        type="tertiary",
        on_click=on_close_report,
        args=(role,),
    )


@st.fragment(run_every=POLL_SECONDS)
@polling
def _show_moving_report(role: str) -> None:
    services = current_services()
    if services.library.progress().state not in AT_WORK:
        st.rerun()
    _show_report(services, role)


def _show_report(services: "Services", role: str) -> None:
    progress = services.library.progress()
    documents = services.library.list_documents(role)
    document_by_source = {document.source: document for document in documents}
    reports: list[FileReport] = []
    for sent in _sent_files(role):
        is_at_work = progress.current == f"{role}/{sent.source}"
        document = document_by_source.get(sent.source)
        is_reading = progress.state == "reading"
        reports.append(file_report(sent, document, is_reading=is_reading, is_at_work=is_at_work))
    done = sum(report.is_done for report in reports)
    with st.container(border=True, key=f"upload_report_{role}", gap="xsmall"):
        counted = text("knowledge.upload_done", done=done, total=len(reports))
        st.progress(done / len(reports), text=counted)
        st.markdown(_lines(_sent_files(role), reports))


def _lines(sent_files: Sequence[SentFile], reports: Sequence[FileReport]) -> str:
    lines: list[str] = []
    for sent, report in zip(sent_files, reports, strict=True):
        lines.append(f"{report.sign} **{safe_label(sent.source)}** · {report.sentence}")
    return "\n\n".join(lines)


def file_report(
    sent: SentFile,
    document: "DocumentSummary | None",
    *,
    is_reading: bool,
    is_at_work: bool,
) -> FileReport:
    """How far a file is; a file that did not change is not read again and so keeps its time."""
    is_unread = document is None or document.ingested_at == sent.read_before
    if is_unread and is_reading:
        doing = text("knowledge.file_reading" if is_at_work else "knowledge.file_waiting")
        return FileReport(sign=":material/hourglass_empty:", is_done=False, sentence=doing)
    if document is None:
        waiting = text("knowledge.file_waiting")
        return FileReport(sign=":material/hourglass_empty:", is_done=False, sentence=waiting)
    if document.status == "failed":
        reason = safe_label(document_report(document))
        sentence = text("knowledge.file_failed", reason=reason)
        return FileReport(sign=":red[:material/error:]", is_done=True, sentence=sentence)
    parts = [text("knowledge.passages_count", count=document.passages)]
    if document.left_out:
        parts.append(text("knowledge.summary_left_out", count=document.left_out))
    report = document_report(document)
    if report:
        parts.append(safe_label(report))
    return FileReport(
        sign=":green[:material/check_circle:]", is_done=True, sentence=" · ".join(parts)
    )

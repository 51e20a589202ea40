"""The Knowledge page: what does this role know?"""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.language import text
from meetmind.ui.show_ingestion import show_ingestion
from meetmind.ui.show_knowledge import (
    show_documents,
    show_numbers,
    show_passage_list,
    show_read_again,
    show_reading_finished,
    show_role_choice,
    show_search,
)
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
with st.container(key="wide_page"):
    show_page_head("knowledge")
    show_notice()
    is_reading = show_ingestion()
    overview = services.library.overview()
    if not is_reading:
        show_reading_finished(services, overview)
    role = show_role_choice(overview)
    show_numbers(overview, role)
    search, documents, passages = st.tabs(
        [
            text("knowledge.tab_search"),
            text("knowledge.tab_documents"),
            text("knowledge.tab_passages"),
        ],
        on_change="rerun",
        key="knowledge_tabs",
    )
    if search.open:
        with search:
            show_search(services, role)
    if documents.open:
        with documents:
            show_documents(services, role)
    if passages.open:
        with passages:
            show_passage_list(services, role)
    show_read_again(services)

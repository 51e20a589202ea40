"""The Knowledge page: what does this role know?"""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.open_passage import current_open_passage, follow_passage_address
from meetmind.ui.show_ingestion import show_ingestion
from meetmind.ui.show_knowledge import show_numbers, show_reading_finished, show_role_choice
from meetmind.ui.show_knowledge_tabs import show_knowledge_tabs
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
follow_passage_address()
with st.container(key="wide_page"):
    show_page_head("knowledge")
    show_notice()
    is_reading = show_ingestion()
    overview = services.library.overview()
    if not is_reading:
        show_reading_finished(services, overview)
    role = show_role_choice(overview)
    if current_open_passage() is None:
        show_numbers(overview, role)
    show_knowledge_tabs(services, person, role)

"""The Rerank page: why did it find this and not that?"""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.session import SEARCH_PARAMETER
from meetmind.ui.show_ingestion import show_ingestion
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.show_rerank import show_asked
from meetmind.ui.show_rerank_judged import show_judged_questions
from meetmind.ui.show_rerank_past import show_past_choice, show_past_search
from meetmind.ui.show_rerank_question import show_question
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
with st.container(key="wide_page"):
    show_page_head("rerank")
    show_notice()
    show_ingestion()
    search_id = st.query_params.get(SEARCH_PARAMETER)
    if search_id is None:
        question = show_question()
        show_past_choice(services, person, None)
        show_asked(services, person, question)
    else:
        show_past_choice(services, person, search_id)
        show_past_search(services, person, search_id)
    show_judged_questions(services, person)

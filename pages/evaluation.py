"""The Evaluation page: is it getting better?"""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.show_evaluation import show_evaluation
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
with st.container(key="wide_page"):
    show_page_head("evaluation")
    show_notice()
    show_evaluation(services)

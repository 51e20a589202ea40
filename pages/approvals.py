"""The Approvals page: what waits for me, what do I allow, and what was decided?"""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.show_approvals_tabs import show_approvals_tabs
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
with st.container(key="wide_page"):
    show_page_head("approvals")
    show_notice()
    show_approvals_tabs(services, person)

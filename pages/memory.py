"""The Memory page: what every speaker is told about the person."""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.show_memory import show_memory_editor, show_memory_versions
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
with st.container(key="narrow_page"):
    show_page_head("memory")
    show_notice()
    show_memory_editor(services, person)
    show_memory_versions(services, person)

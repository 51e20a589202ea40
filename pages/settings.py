"""The Settings page: language, chat model, how documents are searched, folders, tools, password."""

import streamlit as st

from meetmind.ui.gate import enter_page
from meetmind.ui.language import show_language_switch, text
from meetmind.ui.show_mcp_servers import show_mcp_servers
from meetmind.ui.show_model import show_model
from meetmind.ui.show_page_head import show_page_head
from meetmind.ui.show_read_folders import show_read_folders
from meetmind.ui.show_retrieval_settings import show_retrieval_settings
from meetmind.ui.sign_in import show_account, show_notice, show_password_form

services, person = enter_page()
with st.container(key="narrow_page"):
    show_page_head("settings")
    show_notice()
    with st.container(border=True, gap="small"):
        st.markdown(f"**{text('settings.language')}**")
        st.caption(text("settings.language_text"))
        show_language_switch(person, "settings")
    with st.container(border=True, gap="small"):
        st.markdown(f"**{text('model.in_use')}**")
        show_model(services.models.status())
    with st.container(border=True, gap="small", key="retrieval_settings"):
        show_retrieval_settings(services, person)
    with st.container(border=True, gap="small", key="read_folders"):
        show_read_folders(services, person)
    with st.container(border=True, gap="small", key="mcp_servers"):
        show_mcp_servers(services, person)
    with st.container(border=True, gap="small"):
        st.markdown(f"**{text('settings.appearance')}**")
        st.caption(text("settings.appearance_text"))
    with st.container(border=True, gap="small"):
        st.markdown(f"**{text('settings.password')}**")
        show_password_form(person)
    with st.container(border=True, gap="small"):
        show_account(person)

"""The Discussion page: the talk, what it has come to, and the composer."""

import streamlit as st

from meetmind.ui.composer import show_composer
from meetmind.ui.current_discussion import current_discussion
from meetmind.ui.gate import enter_page
from meetmind.ui.runs import load_runs
from meetmind.ui.show_discussion_head import show_discussion_head
from meetmind.ui.show_empty_discussion import show_empty_discussion
from meetmind.ui.show_model import show_offline_banner
from meetmind.ui.show_side_panel import show_side_panel
from meetmind.ui.show_talk import evidence_of, show_talk
from meetmind.ui.sign_in import show_notice

services, person = enter_page()
show_notice()
discussion = current_discussion(services, person)
if discussion is None:
    show_empty_discussion(services)
    show_composer([])
else:
    runs = load_runs(services, person, discussion.id)
    evidence = evidence_of([run.view for run in runs])
    with st.container(key="head", gap="xsmall"):
        show_discussion_head(discussion, runs)
        show_offline_banner(services.models.status())
    talk, side = st.columns([0.7, 0.3], gap="medium")
    with (
        talk,
        st.container(key="talk", height=600, border=False, autoscroll=False),
        st.container(key="talk_lines"),
    ):
        show_talk(runs, evidence)
    with side, st.container(key="side", height=600, border=False, autoscroll=False):
        show_side_panel(runs, evidence)
    show_composer(runs)

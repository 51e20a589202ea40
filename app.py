"""The app: sign-in gate, language, navigation, the list of discussions, and the chosen page."""

from meetmind.config.environment import load_environment
from meetmind.ui.gate import keep_discussion_parameter, pass_gate, run_page
from meetmind.ui.pages import register_pages
from meetmind.ui.process import process_services
from meetmind.ui.sidebar import show_sidebar

process_services.begin(load_environment)
services, person = pass_gate()
page = register_pages("sidebar")
keep_discussion_parameter()
show_sidebar(services, person)
run_page(page)

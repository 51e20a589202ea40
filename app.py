"""The app: sign-in gate, language, navigation, the list of discussions, and the chosen page."""

from meetmind.config.environment import load_environment
from meetmind.ui.gate import keep_discussion_parameter, pass_gate, run_page
from meetmind.ui.pages import register_pages
from meetmind.ui.process import process_services
from meetmind.ui.sidebar import show_sidebar
from meetmind.ui.waiting_calls import current_waiting, show_new_waiting, waiting_on

process_services.begin(load_environment)
services, person = pass_gate()
waiting = current_waiting(services, person)
page = register_pages("sidebar", len(waiting))
keep_discussion_parameter()
show_sidebar(services, person)
show_new_waiting(waiting, in_front=waiting_on(page, waiting))
run_page(page)

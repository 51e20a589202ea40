"""What the buttons of a running, resting or cut-off discussion do."""

from collections.abc import Callable

from meetmind.errors import MeetMindError
from meetmind.ui.language import error_text, text
from meetmind.ui.session import current_person, current_services, leave_notice


def on_stop(run_id: str) -> None:
    """End the run at once; what was said stays."""

    def stop(owner_id: str) -> None:
        if not current_services().execution.stop_run(owner_id, run_id):
            leave_notice(text("discussion.stops_later"))

    _do(stop)


def on_pause(run_id: str) -> None:
    """Let the team rest after the turn that goes on."""
    _do(lambda owner_id: current_services().execution.pause_run(owner_id, run_id))


def on_pause_withdrawn(run_id: str) -> None:
    """Take a pause back that has not begun yet."""
    _do(lambda owner_id: current_services().execution.withdraw_pause(owner_id, run_id))


def on_go_on(run_id: str) -> None:
    """Let a paused team go on."""
    _do(lambda owner_id: current_services().execution.go_on_run(owner_id, run_id))


def on_resume(run_id: str) -> None:
    """Go on with a run that was cut off."""
    _do(lambda owner_id: current_services().execution.resume_execution(owner_id, run_id))


def on_discard(run_id: str) -> None:
    """Give a cut-off run up; what was said stays."""
    _do(lambda owner_id: current_services().execution.discard_resumable(owner_id, run_id))


def _do(command: Callable[[str], None]) -> None:
    """Run a command as the person; a refusal is told in a sentence."""
    person = current_person(current_services())
    if person is None:
        return
    try:
        command(person.id)
    except MeetMindError as error:
        leave_notice(error_text(error))

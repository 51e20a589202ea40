"""The runs of the open discussion, read from the log and kept in the tab as a cache."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from meetmind.events import RunStarted
from meetmind.ui.discussion_view import fold
from meetmind.ui.run_view import RunView, TalkItem, Utterance
from meetmind.ui.session import current_run_views

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.discussions import RunSummary
    from meetmind.server.services import Services

LIVE_STATES = ("running", "waiting", "paused")


@dataclass(frozen=True, kw_only=True)
class ShownRun:
    """A run as the list of runs knows it, with the view folded from its events."""

    summary: "RunSummary"
    view: RunView

    @property
    def started(self) -> RunStarted | None:
        """How the run began; None in the moment before its first event."""
        return self.view.started

    @property
    def state(self) -> str:
        """running, waiting, paused, cut_off, done, stopped or failed; the log's word counts first.

        The row of the run is written a moment before or after the events that say the same.
        """
        if self.view.ended is not None:
            return self.view.ended.status
        state = self.summary.state
        if state == "running" and self.view.rests:
            return "waiting" if self.view.waiting_for else "paused"
        # Everything is decided, and the executor has not taken the run up again yet.
        if state in ("waiting", "paused") and self.view.last_seq > 0 and not self.view.rests:
            return "running"
        return state


def load_runs(services: "Services", person: "Person", session_id: str) -> list[ShownRun]:
    """The runs of a discussion, oldest first, with what the log has beyond the cache."""
    views = current_run_views()
    shown = []
    for summary in services.discussions.list_runs(person.id, session_id):
        view = views.get(summary.id, RunView(run_id=summary.id))
        if view.last_seq < summary.last_seq:
            view = read_on(services, person, view)
        shown.append(ShownRun(summary=summary, view=view))
    return shown


def read_on(services: "Services", person: "Person", view: RunView) -> RunView:
    """The view after everything that the log has beyond it."""
    events = services.discussions.events_after(person.id, view.run_id, view.last_seq)
    newer = fold(view, events)
    current_run_views()[view.run_id] = newer
    return newer


def settled_and_live(view: RunView) -> tuple[tuple[TalkItem, ...], tuple[TalkItem, ...]]:
    """The items up to the last finished turn, and what still changes."""
    settled = 0
    for position, item in enumerate(view.items):
        if isinstance(item, Utterance) and item.ended is not None:
            settled = position + 1
    return view.items[:settled], view.items[settled:]

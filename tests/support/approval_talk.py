"""One discussion in one window, with what its approvals leave in the database and on disk."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Locator, Page, expect

from meetmind.events import ToolFinished, ToolRequested
from tests.support.holding_write import held_mark
from tests.support.room import Room, wait_until

Event = TypeVar("Event")

CLICK_MILLISECONDS = 60
PATIENCE_MILLISECONDS = 30_000
CARD = "[class*=st-key-approval_]"
COMPOSER = "[data-testid=stChatInputTextArea]"
APPROVE = "[class*=st-key-approved_] button"
REJECT = "[class*=st-key-rejected_] button"
AT_REST = "[data-testid=stApp][data-test-script-state=notRunning]"


@dataclass(kw_only=True)
class Talk:
    """One discussion in one window, and what there is of it in the database and on disk."""

    page: Page
    session_id: str
    room: Room

    def begin(self, brief: str) -> None:
        """Put a brief before the team and wait for its first card."""
        team = self.page.locator(".st-key-composer_mode").get_by_text("Team")
        team.click(delay=CLICK_MILLISECONDS)
        self.write(brief)
        self.wait_for_cards()

    def write(self, words: str) -> None:
        """Type into the composer and send."""
        composer = self.page.locator(COMPOSER)
        composer.fill(words)
        composer.press("Enter")

    def wait_for_cards(self, *files: str) -> None:
        """Until the run rests and there is a card for each of these files, or at least one."""
        wait_until(self._rests)
        cards = self.page.locator(CARD)
        if files:
            expect(cards).to_have_count(len(files), timeout=PATIENCE_MILLISECONDS)
        for file in files:
            expect(self.card(file)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
        expect(cards.first).to_be_visible(timeout=PATIENCE_MILLISECONDS)
        expect(self.page.locator(AT_REST)).to_be_visible(timeout=PATIENCE_MILLISECONDS)

    def _rests(self) -> bool:
        if not self.runs():
            return False
        state = self.state
        assert state not in ("done", "failed"), state
        return state == "waiting"

    def card(self, file: str) -> Locator:
        """The card of the call that would write this file."""
        return self.page.locator(CARD).filter(has_text=file)

    def approve(self, file: str) -> None:
        self.card(file).locator(APPROVE).click(delay=CLICK_MILLISECONDS)

    def reject(self, file: str, reason: str = "") -> None:
        card = self.card(file)
        if reason:
            card.get_by_role("textbox").fill(reason)
        card.locator(REJECT).click(delay=CLICK_MILLISECONDS)

    def see(self, words: str) -> None:
        """Wait until the page says so."""
        said = self.page.get_by_text(words).first
        expect(said).to_be_visible(timeout=PATIENCE_MILLISECONDS)

    def end(self) -> None:
        """Wait until the run is over, for the page as well, and nothing of it is broken."""
        self.room.wait_for_end(self.run_id)
        assert self.state == "done", self.state
        head = self.page.locator(".st-key-discussion_head")
        expect(head.get_by_text("Done")).to_be_visible(timeout=PATIENCE_MILLISECONDS)
        expect(self.page.locator(CARD)).to_have_count(0)
        expect(self.page.get_by_test_id("stException")).to_have_count(0)

    def runs(self) -> list[str]:
        listed = self.room.discussions.list_runs(self.room.owner_id, self.session_id)
        return [run.id for run in listed]

    @property
    def run_id(self) -> str:
        """The only run."""
        (run_id,) = self.runs()
        return run_id

    @property
    def state(self) -> str:
        return self.room.state(self.run_id)

    @property
    def workspace(self) -> Path:
        return self.room.home / "workspaces" / self.session_id

    def files(self) -> list[str]:
        """The names of the files that there are."""
        return sorted(path.name for path in self.workspace.glob("*") if path.is_file())

    def events(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.room.events(self.run_id) if isinstance(event, kind)]

    def requested(self) -> list[ToolRequested]:
        """Every `Write` that was asked for."""
        asked = self.events(ToolRequested)
        return [event for event in asked if event.tool == "Write"]

    def finished(self) -> list[str]:
        """How every `Write` ended."""
        ended = self.events(ToolFinished)
        return [event.status for event in ended if event.tool == "Write"]

    def wait_until_held(self, file: str) -> None:
        """Until the approved `Write` of this file holds."""
        mark = held_mark(self.room.home / "held", self.session_id, file)
        wait_until(mark.exists)

    def checkpoints(self) -> list[str]:
        """The ids of every checkpoint of the run."""
        with self.room.pool.connection() as connection:
            statement = "select checkpoint_id from checkpoints where thread_id = %s"
            rows = connection.execute(statement, [self.run_id]).fetchall()
        return [row[0] for row in rows]

    def rewind(self, kept: list[str]) -> None:
        """Take the run back to what it was when only these checkpoints were there."""
        condition = "where thread_id = %s and not checkpoint_id = any(%s)"
        with self.room.pool.connection() as connection:
            for table in ("checkpoints", "checkpoint_writes"):
                statement = f"delete from {table} {condition}"
                connection.execute(statement.encode(), [self.run_id, kept])

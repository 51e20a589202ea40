"""The cases of the approvals through the page in which the server is killed in the middle."""

from playwright.sync_api import expect

from meetmind.events import ToolAskedAgain, ToolDecided
from tests.support.approval_cases import FILE, begun
from tests.support.approval_talk import CARD, CLICK_MILLISECONDS, Talk
from tests.support.approval_trial import ApprovalTrial
from tests.support.asking_model import (
    AFTER_EFFECT,
    BEFORE_EFFECT,
    ONE_BY_ONE,
    ONE_HELD,
    TWO_FILES,
    WRITE,
)
from tests.support.holding_write import HELD_AFTER, HELD_BEFORE
from tests.support.room import wait_until

RESUME = "[class*=st-key-resume_] button"


def resume(talk: Talk) -> None:
    """Go on with the run that the kill cut off; nobody is asked anything before."""
    expect(talk.page.locator(RESUME)).to_be_visible()
    expect(talk.page.locator(CARD)).to_have_count(0)
    talk.page.locator(RESUME).click(delay=CLICK_MILLISECONDS)


def killed_while_held(trial: ApprovalTrial, talk: Talk, file: str) -> None:
    """Approve, kill the server while the call holds, and see that the run is cut off."""
    talk.approve(file)
    talk.wait_until_held(file)
    trial.kill()
    wait_until(lambda: talk.state == "cut_off")


def case_04(trial: ApprovalTrial) -> None:
    """A rejected call does not run when its run is taken back, cut off and resumed."""
    talk = begun(trial, ONE_HELD)
    before = talk.checkpoints()
    talk.reject("a.md", "no")
    talk.wait_for_cards(HELD_BEFORE)
    killed_while_held(trial, talk, HELD_BEFORE)
    talk.rewind(before)
    trial.restart(talk)
    resume(talk)
    talk.end()
    assert talk.files() == [HELD_BEFORE]
    assert sorted(talk.finished()) == ["ok", "rejected"]


def case_05(trial: ApprovalTrial) -> None:
    """A finished effect does not come back with the resume."""
    talk = begun(trial, TWO_FILES)
    talk.approve("a.md")
    wait_until(lambda: talk.finished() == ["ok"])
    talk.wait_for_cards("b.md")
    trial.kill()
    (talk.workspace / "a.md").unlink()
    trial.restart(talk)
    talk.wait_for_cards("b.md")
    talk.approve("b.md")
    talk.end()
    assert talk.files() == ["b.md"]


def case_06(trial: ApprovalTrial) -> None:
    """A card is still there after a kill, and its call runs once."""
    talk = begun(trial, WRITE)
    trial.kill()
    trial.restart(talk)
    talk.wait_for_cards(FILE)
    talk.approve(FILE)
    talk.end()
    assert talk.files() == [FILE]
    assert (len(talk.requested()), talk.finished()) == (1, ["ok"])


def case_07(trial: ApprovalTrial) -> None:
    """An approved call that had not acted yet acts once, and nobody is asked again."""
    talk = begun(trial, BEFORE_EFFECT)
    killed_while_held(trial, talk, HELD_BEFORE)
    assert talk.files() == []
    trial.restart(talk)
    resume(talk)
    talk.end()
    assert talk.files() == [HELD_BEFORE]
    assert_asked_once(talk)


def case_08(trial: ApprovalTrial) -> None:
    """An approved call that had acted already is not repeated."""
    talk = begun(trial, AFTER_EFFECT)
    killed_while_held(trial, talk, HELD_AFTER)
    before = (talk.workspace / HELD_AFTER).stat()
    trial.restart(talk)
    resume(talk)
    talk.end()
    after = (talk.workspace / HELD_AFTER).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert_asked_once(talk)


def assert_asked_once(talk: Talk) -> None:
    assert len(talk.events(ToolDecided)) == 1
    assert talk.events(ToolAskedAgain) == []
    assert talk.finished() == ["ok"]


def case_16(trial: ApprovalTrial) -> None:
    """An old checkpoint, played again, neither asks nor acts again."""
    talk = begun(trial, ONE_BY_ONE)
    before = talk.checkpoints()
    talk.approve("a.md")
    talk.wait_for_cards("b.md")
    trial.kill()
    talk.rewind(before)
    (talk.workspace / "a.md").unlink()
    trial.restart(talk)
    talk.wait_for_cards("b.md")
    talk.reject("b.md")
    talk.end()
    assert talk.files() == []
    decisions = [event.decision for event in talk.events(ToolDecided)]
    assert decisions == ["approved", "rejected"]
    assert (len(talk.requested()), talk.finished()) == (2, ["ok", "rejected"])

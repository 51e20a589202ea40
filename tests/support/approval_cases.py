"""The cases of the approvals through the page for which the server goes on running."""

from playwright.sync_api import expect

from meetmind.events import RunWaiting, ToolAskedAgain, ToolDecided
from tests.support.approval_talk import (
    APPROVE,
    CARD,
    CLICK_MILLISECONDS,
    COMPOSER,
    PATIENCE_MILLISECONDS,
    Talk,
)
from tests.support.approval_trial import ApprovalTrial
from tests.support.asking_model import (
    IN_TWO_TURNS,
    ONE_BY_ONE,
    REASON,
    THREE_FILES,
    WHERE_I_SAY,
    WRITE,
)
from tests.support.room import wait_until

FILE = "summary.md"
TEXT = "# Summary\n"
OTHER_TEXT = "Somebody else wrote this.\n"


def begun(trial: ApprovalTrial, brief: str) -> Talk:
    """A discussion that waits for the first time."""
    talk = trial.open_discussion()
    talk.begin(brief)
    return talk


def case_01(trial: ApprovalTrial) -> None:
    """Three calls of one turn have a card each and are decided one by one."""
    talk = begun(trial, THREE_FILES)
    talk.wait_for_cards("a.md", "b.md", "c.md")
    talk.reject("b.md")
    talk.wait_for_cards("a.md", "c.md")
    assert talk.files() == []
    talk.approve("c.md")
    talk.wait_for_cards("a.md")
    talk.approve("a.md")
    talk.end()
    assert talk.files() == ["a.md", "c.md"]


def case_02(trial: ApprovalTrial) -> None:
    """What was typed into the form is what runs."""
    talk = begun(trial, WRITE)
    page = talk.page
    page.locator("[class*=st-key-edit_] button").click(delay=CLICK_MILLISECONDS)
    page.get_by_role("textbox", name="File", exact=True).fill("other.md")
    page.get_by_role("textbox", name="Text of the file").fill("other")
    page.locator("[class*=st-key-rate_] button").click(delay=CLICK_MILLISECONDS)
    talk.see("With these arguments:")
    page.locator("[class*=st-key-approve_typed_] button").click(delay=CLICK_MILLISECONDS)
    talk.see("with changed arguments")
    talk.end()
    assert talk.files() == ["other.md"]
    assert (talk.workspace / "other.md").read_text() == "other"
    (decided,) = talk.events(ToolDecided)
    assert decided.arguments is not None
    assert decided.arguments["path"] == "other.md"


def case_03(trial: ApprovalTrial) -> None:
    """The role, which writes elsewhere only if it was told to, does so."""
    talk = begun(trial, WHERE_I_SAY)
    talk.reject(FILE, REASON)
    talk.wait_for_cards("told.md")
    talk.see(f"Rejected by admin: {REASON}")
    talk.approve("told.md")
    talk.end()
    assert talk.files() == ["told.md"]


def case_09(trial: ApprovalTrial) -> None:
    """A page that is loaded again shows the same card, and nothing was asked twice."""
    talk = begun(trial, WRITE)
    before = card_class(talk)
    talk.page.reload()
    talk.wait_for_cards(FILE)
    assert card_class(talk) == before
    assert len(talk.requested()) == len(talk.events(RunWaiting)) == 1
    talk.approve(FILE)
    talk.end()
    assert talk.finished() == ["ok"]


def card_class(talk: Talk) -> str:
    """The class of the only card, which names its call."""
    names = (talk.page.locator(CARD).get_attribute("class") or "").split()
    (name,) = [name for name in names if name.startswith("st-key-approval_")]
    return name


def case_10(trial: ApprovalTrial) -> None:
    """The composer is closed; where a page has not noticed, the message starts nothing."""
    message = "And another thing"
    talk = trial.open_discussion()
    stale = trial.open_window(talk.session_id, hears_only=message)
    talk.begin(WRITE)
    expect(talk.page.locator(COMPOSER)).to_be_disabled()
    stale.write(message)
    stale.see("The team is still talking here.")
    expect(stale.page.locator(COMPOSER)).to_have_value(message)
    assert talk.state == "waiting"
    talk.wait_for_cards(FILE)
    talk.approve(FILE)
    talk.end()
    assert len(talk.runs()) == 1


def case_11(trial: ApprovalTrial) -> None:
    """Two clicks in one moment decide once."""
    talk = begun(trial, WRITE)
    talk.card(FILE).locator(APPROVE).dblclick(delay=CLICK_MILLISECONDS)
    talk.end()
    assert len(talk.events(ToolDecided)) == 1
    assert talk.finished() == ["ok"]


def case_12(trial: ApprovalTrial) -> None:
    """Of two windows one decides, and the other is told."""
    first = begun(trial, WRITE)
    second = trial.open_window(first.session_id, hears_only="approved_")
    second.wait_for_cards(FILE)
    first.reject(FILE, "no")
    first.end()
    second.approve(FILE)
    second.see("already rejected by admin")
    assert first.files() == []
    assert len(first.events(ToolDecided)) == 1


def case_13(trial: ApprovalTrial) -> None:
    """A card that no longer holds is drawn anew, or its window is told of the decision."""
    talk = begun(trial, WRITE)
    old = trial.open_window(talk.session_id, hears_only="rejected_")
    old.wait_for_cards(FILE)
    talk.workspace.mkdir(parents=True, exist_ok=True)
    (talk.workspace / FILE).write_text(OTHER_TEXT)
    talk.approve(FILE)
    talk.see("nothing was decided")
    expect(talk.card(FILE)).to_contain_text(OTHER_TEXT.strip(), timeout=PATIENCE_MILLISECONDS)
    assert (talk.workspace / FILE).read_text() == OTHER_TEXT
    assert (len(talk.events(ToolAskedAgain)), talk.events(ToolDecided)) == (1, [])
    talk.approve(FILE)
    talk.end()
    old.reject(FILE)
    old.see("already approved by admin")
    assert (talk.workspace / FILE).read_text() == TEXT


def case_14(trial: ApprovalTrial) -> None:
    """The same role is asked about again in its next turn."""
    talk = begun(trial, IN_TWO_TURNS)
    talk.approve("a.md")
    wait_until(lambda: len(talk.requested()) == 2)
    talk.wait_for_cards("b.md")
    assert talk.files() == ["a.md"]
    talk.reject("b.md")
    talk.end()
    assert talk.files() == ["a.md"]
    first, second = talk.requested()
    assert first.agent_name == second.agent_name
    assert first.utterance_id != second.utterance_id


def case_15(trial: ApprovalTrial) -> None:
    """A call in a later round of the same turn is asked about too."""
    talk = begun(trial, ONE_BY_ONE)
    talk.approve("a.md")
    talk.wait_for_cards("b.md")
    assert talk.files() == ["a.md"]
    talk.approve("b.md")
    talk.end()
    assert talk.files() == ["a.md", "b.md"]
    assert len({event.utterance_id for event in talk.requested()}) == 1

"""What a run has asked of its tools so far: what the policy looks at before the next call."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meetmind.events import Risk

STATUS_BY_VERDICT = {"allowed": "approved", "asked": "pending", "refused": "refused"}
"""In which state a ruling puts a call into the ledger."""
TARGET_ARGUMENTS = ("path", "url", "name", "query", "question")


@dataclass(frozen=True, kw_only=True)
class PastCall:
    """One earlier call, as far as the policy looks at it."""

    utterance_id: str
    tool: str
    sha256: str
    """Of the tool and its canonical arguments."""
    target: str
    risk: Risk
    status: str
    """As it stands in the ledger."""
    error_code: str = ""
    has_expired: bool = False
    """Rejected because nobody decided in time."""

    @property
    def went_wrong(self) -> bool:
        """Whether the call was refused or could not do what was asked."""
        return self.status in ("failed", "refused")

    @property
    def was_asked(self) -> bool:
        """Whether a person was or may be asked about it."""
        return self.risk != "low" and self.status != "refused"


@dataclass(frozen=True, kw_only=True)
class PastCalls:
    """The earlier calls of a run, in order, and which of them belong to the present turn."""

    calls: Sequence[PastCall]
    utterance_id: str

    @property
    def of_this_turn(self) -> list[PastCall]:
        """The calls of the present turn."""
        return [call for call in self.calls if call.utterance_id == self.utterance_id]

    def times_rejected(self, sha256: str) -> int:
        """How often a person rejected this very call in this run."""
        times = 0
        for call in self.calls:
            if call.sha256 == sha256 and call.status == "rejected" and not call.has_expired:
                times += 1
        return times

    def stands_already(self, sha256: str) -> bool:
        """Whether this turn has made the very call without its going wrong."""
        return any(call.sha256 == sha256 and not call.went_wrong for call in self.of_this_turn)

    def put_to_person(self, tool: str) -> list[str]:
        """What the run has asked the person so far, as it was worded."""
        return [call.target for call in self.calls if call.tool == tool and not call.went_wrong]

    def failed_alike(self, tool: str, target: str) -> str:
        """The error in which this turn's calls of a tool on one target ended twice; '' without."""
        times_by_code: Counter[str] = Counter()
        for call in self.of_this_turn:
            if call.went_wrong and (call.tool, call.target) == (tool, target):
                times_by_code[call.error_code] += 1
        alike = [code for code, times in times_by_code.items() if times >= 2]
        return alike[0] if alike else ""


def target_of(arguments: Mapping[str, Any]) -> str:
    """What a call is about: its path, address, name, query or question; '' when it has none."""
    for name in TARGET_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:400]
    return ""

"""Talks to the team from a terminal: the same runs, the same approvals, the same log."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from meetmind.cli.chat_lines import (
    exact_arguments,
    print_round_review,
    role_title,
    show_event,
)
from meetmind.cli.terminal import Terminal
from meetmind.cli.transcript import Transcript
from meetmind.errors import MeetMindError
from meetmind.events import LoggedEvent, Mode, RunEnded, RunWaiting
from meetmind.i18n.translate import Language, has_text, translate

POLL_SECONDS = 0.2
LEAVING = {"exit", "quit", "退出"}
YES = {"y", "yes", "是", "好"}
NO = {"n", "no", "否", "不"}


class Call(Protocol):
    """A tool call that waits for a person."""

    run_id: str
    call_id: str
    agent_name: str
    tool: str
    risk: str
    arguments: Mapping[str, Any]
    reason: str
    preview: str
    requested_at: datetime

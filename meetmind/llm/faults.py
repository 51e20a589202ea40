"""Every way in which a chat model can fail, each with its error and one plain sentence.

No sentence repeats a key, a request or what the server wrote.
"""

from dataclasses import dataclass

from meetmind.errors import (
    ModelAnswerBroken,
    ModelBusy,
    ModelError,
    ModelMisconfigured,
    ModelUnavailable,
    ToolsRefused,
)
from meetmind.llm.server_habits import Endpoint

ONCE = 1
TWICE = 2
A_FEW_TIMES = 3
AS_OFTEN_AS_ALLOWED = 1000


@dataclass(frozen=True, kw_only=True)
class FaultKind:
    """How one kind of fault is raised, how often such a call is tried in all, and its sentence."""

    error: type[ModelError]
    tries: int
    sentence: str
    fallback_may_help: bool = True
    """False where the cause lies in what we ask or in how we ask it, so that another model would
    fail alike, or would have to take what this one declined."""


FAULT_KINDS: dict[str, FaultKind] = {
    "unauthorised": FaultKind(
        error=ModelMisconfigured, tries=ONCE, sentence="{host} does not accept the API key."
    ),
    "forbidden": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} does not let this API key use the model {model}.",
    ),
    "quota": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The account at {host} has no credit or quota left.",
    ),
    "not_found": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} knows no model {model} at this address.",
    ),
    "bad_address": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The address of the model's server is not a complete http:// or https:// address.",
    ),
    "unknown_host": FaultKind(
        error=ModelMisconfigured, tries=ONCE, sentence="No computer named {host} can be found."
    ),
    "tls": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="No secure connection to {host} could be made: its certificate is not accepted.",
    ),
    "bad_request": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="{host} does not accept the form of the request to {model}.",
        fallback_may_help=False,
    ),
    "too_long": FaultKind(
        error=ModelMisconfigured,
        tries=ONCE,
        sentence="The discussion is longer than the model {model} can read.",
        fallback_may_help=False,
    ),
    "tools_refused": FaultKind(
        error=ToolsRefused,
        tries=ONCE,
        sentence="{host} does not take tools with {model}.",
        fallback_may_help=False,
    ),
    "refused": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="Nothing answers at {host}.",
    ),
    "connection": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="The connection to {host} broke off.",
    ),
    "timeout": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} did not answer in time.",
    ),
    "rate_limited": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} takes no more requests for the moment.",
    ),
    "overloaded": FaultKind(
        error=ModelUnavailable, tries=AS_OFTEN_AS_ALLOWED, sentence="{host} is overloaded."
    ),
    "server_error": FaultKind(
        error=ModelUnavailable,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="{host} reports a fault of its own.",
    ),
    "cut": FaultKind(
        error=ModelAnswerBroken,
        tries=AS_OFTEN_AS_ALLOWED,
        sentence="The answer of {model} broke off before its end.",
    ),
    "length": FaultKind(
        error=ModelAnswerBroken,
        tries=A_FEW_TIMES,
        sentence="The answer of {model} was cut at its length limit.",
    ),
    "too_much": FaultKind(
        error=ModelAnswerBroken,
        tries=TWICE,
        sentence="The answer of {model} went on and on without an end.",
    ),
    "empty": FaultKind(
        error=ModelAnswerBroken, tries=A_FEW_TIMES, sentence="{model} sent an empty answer."
    ),
    "unreadable": FaultKind(
        error=ModelAnswerBroken,
        tries=A_FEW_TIMES,
        sentence="{host} answered with something that is no model's answer.",
    ),
    "filtered": FaultKind(
        error=ModelAnswerBroken,
        tries=ONCE,
        sentence="{model} declined to answer.",
        fallback_may_help=False,
    ),
    "busy": FaultKind(
        error=ModelBusy,
        tries=ONCE,
        sentence="No free place for a call of {model} came up within the time to wait.",
    ),
}
FINISHED_TOO_EARLY = {"length": "length", "max_tokens": "length", "content_filter": "filtered"}
"""Fault by the reason that a server gives for ending an answer."""
BROKEN_FINISHES = ("error", "insufficient_system_resource", "abort")
"""Reasons that say that the server itself broke the answer off."""


def model_error(
    fault: str, endpoint: Endpoint, *, status: int = 0, retry_after_seconds: float = 0.0
) -> ModelError:
    """The error of this kind, its sentence filled in; 0 means unknown."""
    kind = FAULT_KINDS[fault]
    sentence = kind.sentence.format(host=endpoint.host, model=endpoint.name)
    return kind.error(
        sentence,
        fault=fault,
        host=endpoint.host,
        model=endpoint.name,
        status=status,
        retry_after_seconds=retry_after_seconds,
    )


SETTLED_BY_SETTINGS = frozenset(
    {
        "unauthorised",
        "forbidden",
        "not_found",
        "bad_address",
        "unknown_host",
        "tls",
        "refused",
        "unreadable",
    }
)
"""Faults whose sentence names settings, which are others for the fallback model."""


def told_of_fallback(error: ModelError) -> ModelError:
    """The same error, with the sentence that names the settings of the fallback model."""
    if error.fault in SETTLED_BY_SETTINGS:
        error.fault = f"fallback_{error.fault}"
    return error


def fallback_may_help(error: ModelError) -> bool:
    """Whether another model is worth asking after this one failed for good."""
    kind = FAULT_KINDS.get(error.fault)
    return kind is not None and kind.fallback_may_help

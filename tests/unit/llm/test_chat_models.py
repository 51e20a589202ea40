"""The chat model is built from the settings and from what was chosen in the app."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.llm.chat_models import (
    ModelOverrides,
    build_chat_model,
    build_model_client,
    effective_settings,
    set_model_overrides,
)
from meetmind.llm.openai_chat import ServerChatModel

KEY = SecretStr("sk-secret-0123456789")


@pytest.fixture(autouse=True)
def no_overrides() -> Iterator[None]:
    yield
    set_model_overrides(ModelOverrides())


def test_one_layer_retries_and_every_wait_ends() -> None:
    model = build_chat_model(Settings(model_timeout_seconds=40), KEY)
    assert model.max_retries == 0
    assert model.use_responses_api is False
    assert model.extra_body == {"thinking": {"type": "disabled"}}
    assert model.request_timeout.read == 40
    assert model.request_timeout.connect == 15


def test_a_name_that_langchain_would_reroute_stays_where_it_is() -> None:
    model = build_chat_model(Settings(model_name="gpt-5-pro-codex"), KEY)
    assert model.use_responses_api is False


def test_no_extra_body_is_possible() -> None:
    assert build_chat_model(Settings(model_extra_body={}), KEY).extra_body is None


def test_without_a_key_the_offline_model_answers() -> None:
    client = build_model_client(Settings())
    assert client.offline
    assert client.name == "offline"


def test_with_a_key_the_configured_model_answers() -> None:
    client = build_model_client(Settings(api_key=KEY, model_name="m", base_url="https://a.b/v1"))
    assert not client.offline
    assert (client.name, client.base_url) == ("m", "https://a.b/v1")
    assert isinstance(client.model, ServerChatModel)


def test_an_address_that_is_none_does_not_stop_the_start() -> None:
    assert build_model_client(Settings(api_key=KEY, base_url="a.b/v1")).base_url == "a.b/v1"


def test_what_was_chosen_in_the_app_counts_for_the_next_model() -> None:
    settings = Settings(model_name="m", temperature=0.1)
    before = build_model_client(settings)
    set_model_overrides(ModelOverrides(api_key=KEY, model_name="n", model_extra_body={}))
    after = build_model_client(settings)
    assert before.offline
    assert after.name == "n"
    assert isinstance(after.model, ServerChatModel)
    assert after.model.temperature == 0.1
    assert after.model.extra_body is None
    set_model_overrides(ModelOverrides())
    assert effective_settings(settings) == settings


def test_a_key_is_not_sent_to_an_address_that_was_chosen_without_one() -> None:
    settings = Settings(api_key=KEY, base_url="https://first.example/v1")
    set_model_overrides(ModelOverrides(base_url="http://elsewhere.example/v1"))
    chosen = effective_settings(settings).api_key
    assert chosen is not None
    assert chosen.get_secret_value() != KEY.get_secret_value()
    set_model_overrides(ModelOverrides(base_url=settings.base_url))
    assert effective_settings(settings).api_key == KEY

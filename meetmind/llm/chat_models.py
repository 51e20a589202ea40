"""Builds the chat model that the settings, or the person's overrides of them, ask for."""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.llm.client import ModelClient
from meetmind.llm.limits import limiter_for
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.server_habits import Endpoint
from meetmind.llm.streaming import Patience

if TYPE_CHECKING:
    from meetmind.llm.openai_chat import ServerChatModel

OFFLINE_NAME = "offline"
OFFLINE_PLACES = 64


@dataclass(frozen=True, kw_only=True)
class ModelOverrides:
    """What was chosen in the app; None leaves a setting as it is."""

    api_key: SecretStr | None = None
    base_url: str | None = None
    model_name: str | None = None
    temperature: float | None = None
    model_extra_body: dict[str, Any] | None = None


_overrides = ModelOverrides()
_overrides_lock = threading.Lock()


def set_model_overrides(overrides: ModelOverrides) -> None:
    """Change the model from the next run on; runs that go on keep theirs."""
    global _overrides  # noqa: PLW0603 - the one value of the process that Settings changes
    with _overrides_lock:
        _overrides = overrides


def effective_settings(settings: Settings) -> Settings:
    """The settings with what was chosen in the app before them."""
    with _overrides_lock:
        chosen = _overrides
    update = {name: value for name, value in vars(chosen).items() if value is not None}
    return settings.model_copy(update=update)


def build_model_client(settings: Settings) -> ModelClient:
    """The chat model of the settings, with limit and retries; without a key the offline model.

    Nothing is called yet: a wrong key or address shows with the first call.
    """
    effective = effective_settings(settings)
    if effective.api_key is None:
        return offline_client()
    endpoint = Endpoint(name=effective.model_name, base_url=effective.base_url)
    return ModelClient(
        build_chat_model(effective, effective.api_key),
        name=endpoint.name,
        base_url=endpoint.base_url,
        offline=False,
        limiter=limiter_for(endpoint, effective.model_concurrency),
        retry_policy=RetryPolicy(),
        patience=Patience(silence_seconds=effective.model_timeout_seconds),
    )


def offline_client() -> ModelClient:
    """The model that only quotes passages and needs no server."""
    endpoint = Endpoint(name=OFFLINE_NAME, base_url="")
    return ModelClient(
        _offline_model(),
        name=endpoint.name,
        base_url=endpoint.base_url,
        offline=True,
        limiter=limiter_for(endpoint, OFFLINE_PLACES),
        retry_policy=RetryPolicy(),
    )


def build_chat_model(settings: Settings, api_key: SecretStr) -> "ServerChatModel":
    """The model behind the address in the settings.

    Retries are the client's alone. No connection is kept: a handshake takes milliseconds and an
    answer seconds, and a connection that is never reused is never found reset. The packages behind
    it take long to import and are not needed offline.
    """
    from meetmind.llm.openai_chat import ServerChatModel, byte_timeout

    return ServerChatModel(
        model=settings.model_name,
        base_url=settings.base_url,
        api_key=api_key,
        temperature=settings.temperature,
        extra_body=settings.model_extra_body or None,
        timeout=byte_timeout(settings.model_timeout_seconds),
        max_retries=0,
        use_responses_api=False,
        default_headers={"Connection": "close"},
    )


def _offline_model() -> BaseChatModel:
    from meetmind.llm.offline.model import OfflineChatModel

    return OfflineChatModel()

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
NO_KEY = "none"
"""What is sent to a server that needs no key, such as one on this machine."""


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
    """The settings with what was chosen in the app before them.

    Another address without a key of its own gets none: the key was given for the first one.
    """
    with _overrides_lock:
        chosen = _overrides
    update = {name: value for name, value in vars(chosen).items() if value is not None}
    is_elsewhere = chosen.base_url not in (None, "", settings.base_url)
    if is_elsewhere and chosen.api_key is None and settings.api_key is not None:
        update["api_key"] = SecretStr(NO_KEY)
    return settings.model_copy(update=update)


def build_model_client(settings: Settings) -> ModelClient:
    """The chat model of the settings, with limit and retries; without a key the offline model.

    Nothing is called yet: a wrong key or address shows with the first call.
    """
    effective = effective_settings(settings)
    if effective.api_key is None:
        return offline_client()
    return _server_client(effective, effective.api_key, fallback_client(effective))


def fallback_client(settings: Settings) -> ModelClient | None:
    """The model that takes over; None where none is named. What is left empty is as for the first.

    A key is sent to the address that it was given for: another address needs a key of its own.
    """
    is_elsewhere = settings.fallback_base_url not in ("", settings.base_url)
    key = settings.fallback_api_key
    if key is None:
        key = SecretStr(NO_KEY) if is_elsewhere else settings.api_key
    if not settings.fallback_model_name or key is None:
        return None
    update = {
        "model_name": settings.fallback_model_name,
        "base_url": settings.fallback_base_url or settings.base_url,
    }
    return _server_client(settings.model_copy(update=update), key, None)


def _server_client(
    settings: Settings, api_key: SecretStr, fallback: ModelClient | None
) -> ModelClient:
    endpoint = Endpoint(name=settings.model_name, base_url=settings.base_url)
    return ModelClient(
        build_chat_model(settings, api_key),
        name=endpoint.name,
        base_url=endpoint.base_url,
        offline=False,
        limiter=limiter_for(endpoint, settings.model_concurrency),
        retry_policy=RetryPolicy(),
        patience=Patience(silence_seconds=settings.model_timeout_seconds),
        fallback=fallback,
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

"""The chat model in use, built at first use so that no page waits for its libraries."""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from meetmind.config.settings import Settings

if TYPE_CHECKING:
    from meetmind.llm.client import ModelClient

OFFLINE_NAME = "offline"


@dataclass(frozen=True, kw_only=True)
class ModelStatus:
    """The model in use as pages show it."""

    name: str
    base_url: str
    offline: bool
    tools_refused: bool


class Models:
    """Hands out the client of the chat model that the settings name."""

    def __init__(self, settings: Settings, client: "ModelClient | None" = None) -> None:
        self._settings = settings
        self._client = client
        self._lock = threading.Lock()

    def status(self) -> ModelStatus:
        """Which model runs; needs no library of it."""
        if self._client is not None:
            return ModelStatus(
                name=self._client.name,
                base_url=self._client.base_url,
                offline=self._client.offline,
                tools_refused=self._client.tools_refused,
            )
        offline = self._settings.api_key is None
        return ModelStatus(
            name=OFFLINE_NAME if offline else self._settings.model_name,
            base_url="" if offline else self._settings.base_url,
            offline=offline,
            tools_refused=False,
        )

    def client(self) -> "ModelClient":
        """The client for one pass of a run; it begins with the first model, not the fallback."""
        with self._lock:
            if self._client is None:
                from meetmind.llm.chat_models import build_model_client

                self._client = build_model_client(self._settings)
            return self._client.for_pass()

    def use_client(self, client: "ModelClient") -> None:
        """Use another client from the next run on."""
        with self._lock:
            self._client = client

"""Every setting of MeetMind, read once from the environment and `.env`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from meetmind.errors import SettingsError

PROJECT_ROOT = Path(__file__).resolve().parents[2]
THINKING_DISABLED: dict[str, Any] = {"thinking": {"type": "disabled"}}

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=1000)]


class Settings(BaseModel):
    """All settings, explained in `.env.example`; relative paths start at the project root."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", protected_namespaces=(), validate_default=True
    )

    api_key: SecretStr | None = None
    base_url: str = "https://api.xiaomimimo.com/v1"
    model_name: str = "mimo-v2-flash"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.4
    model_extra_body: dict[str, Any] = Field(default_factory=lambda: dict(THINKING_DISABLED))
    model_timeout_seconds: Annotated[float, Field(gt=0)] = 120.0
    model_concurrency: Annotated[int, Field(ge=1, le=64)] = 2
    max_iterations: Annotated[int, Field(ge=1, le=100)] = 15
    max_tool_iterations: Annotated[int, Field(ge=1, le=50)] = 6
    max_run_tokens: Annotated[int, Field(ge=1)] | None = None
    max_run_minutes: Annotated[float, Field(gt=0)] | None = None
    max_run_cost: Annotated[float, Field(gt=0)] | None = None
    price_input: Annotated[float, Field(ge=0)] | None = None
    price_output: Annotated[float, Field(ge=0)] | None = None
    price_currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    model_context_tokens: Annotated[int, Field(ge=2000)] = 32_768
    compact_at_share: Annotated[float, Field(gt=0, lt=1)] = 0.75
    fallback_model_name: str = ""
    fallback_base_url: str = ""
    fallback_api_key: SecretStr | None = None
    approval_expires_minutes: Annotated[float, Field(gt=0)] | None = None

    pg_url: SecretStr | None = None
    pg_table_prefix: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]{0,30}$")] = "meetmind"
    meetmind_home: Path = Path(".meetmind")
    seed_data_path: Path = Path("data/seed")
    embedding_cache_dir: Path = Path("models")

    embedding_model_name: str = "all-MiniLM-L6-v2, multilingual-e5-small"
    rerank_model_name: str = "BAAI/bge-reranker-base"
    intent_model_name: str = "MoritzLaurer/multilingual-MiniLMv2-L6-mnli-xnli"
    recall_depth: Count = 50
    retrieve_top_n: Count = 20
    rerank_top_n: Count = 5
    intent_route_margin: Share = 0.08

    mcp_config_path: Path = Path("mcp.json")
    baidu_search_mcp_url: str = "https://appbuilder.baidu.com/v2/ai_search/mcp/sse"
    baidu_search_api_key: SecretStr | None = None

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 8501
    log_level: str = "INFO"

    @property
    def embedding_model_names(self) -> tuple[str, ...]:
        """The models of `embedding_model_name`, which are separated by commas."""
        names = [name.strip() for name in self.embedding_model_name.split(",")]
        return tuple(name for name in names if name)

    @field_validator("meetmind_home", "seed_data_path", "embedding_cache_dir", "mcp_config_path")
    @classmethod
    def _from_project_root(cls, path: Path) -> Path:
        return PROJECT_ROOT / path.expanduser()


def load_settings(environ: Mapping[str, str], env_file: Path | None = None) -> Settings:
    """Settings from `env_file` with `environ` before it; an empty `KEY=` counts as unset.

    Raises `SettingsError` with one sentence that names every wrong key.
    """
    values: dict[str, str] = {}
    for source in (_file_values(env_file), environ):
        for key, value in source.items():
            if value.strip():
                values[key.upper()] = value
    known = {}
    for name in Settings.model_fields:
        if name.upper() in values:
            known[name] = _parsed(name, values[name.upper()])
    try:
        return Settings.model_validate(known)
    except ValidationError as error:
        raise SettingsError(_wrong_keys(error)) from None


def _file_values(env_file: Path | None) -> dict[str, str]:
    if env_file is None or not env_file.is_file():
        return {}
    present: dict[str, str] = {}
    for key, value in dotenv_values(env_file, encoding="utf-8-sig").items():
        if value is not None:
            present[key] = value
    return present


def _parsed(name: str, text: str) -> Any:
    """The raw text, except for `model_extra_body`, which is a JSON object."""
    if name != "model_extra_body":
        return text.strip()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise SettingsError(
            "MODEL_EXTRA_BODY must be a JSON object such as {} or "
            '{"thinking": {"type": "disabled"}}. Correct it in .env.'
        ) from None


def _wrong_keys(error: ValidationError) -> str:
    parts = []
    for fault in error.errors(include_input=False, include_url=False):
        key = ".".join(str(place) for place in fault["loc"]).upper()
        parts.append(f"{key}: {fault['msg']}")
    return "Some settings are wrong. Correct them in .env or the environment: " + "; ".join(parts)

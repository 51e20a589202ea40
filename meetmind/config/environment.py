"""Loads `.env` into the environment before langchain or langgraph is imported."""

import os
from pathlib import Path

from dotenv import dotenv_values

from meetmind import faults
from meetmind.config.settings import PROJECT_ROOT, Settings, load_settings


def load_environment(env_file: Path = PROJECT_ROOT / ".env") -> Settings:
    """Put `.env` into `os.environ` (what is set there already wins) and return the settings.

    Also sets what libraries read at import: strict checkpoint decoding, no model hub.
    Arms faults where a test asks for them. Raises `SettingsError` when a value is wrong.
    """
    if env_file.is_file():
        for key, value in dotenv_values(env_file, encoding="utf-8-sig").items():
            if value and not os.environ.get(key):
                os.environ[key] = value
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("LANGSMITH_TRACING", "false")
    faults.arm_from(os.environ)
    return load_settings(os.environ, env_file)

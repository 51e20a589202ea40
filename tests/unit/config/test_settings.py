"""Settings from the environment and `.env`."""

from pathlib import Path

import pytest

from meetmind.config.settings import PROJECT_ROOT, Settings, load_settings
from meetmind.errors import SettingsError


def test_an_empty_value_counts_as_unset() -> None:
    settings = load_settings({"API_KEY": "  ", "MODEL_NAME": ""})
    assert settings.api_key is None
    assert settings.model_name == "mimo-v2-flash"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text("MODEL_NAME=from-file\nMAX_ITERATIONS=7\n", encoding="utf-8")
    settings = load_settings({"MODEL_NAME": "from-environment"}, env_file)
    assert (settings.model_name, settings.max_iterations) == ("from-environment", 7)


def test_relative_paths_start_at_the_project_root_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings({"MEETMIND_HOME": "somewhere"})
    assert settings.meetmind_home == PROJECT_ROOT / "somewhere"
    assert settings.seed_data_path == PROJECT_ROOT / "data/seed"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("MAX_ITERATIONS", "0"),
        ("MAX_ITERATIONS", "many"),
        ("PG_TABLE_PREFIX", "Robert'); drop table"),
        ("MODEL_EXTRA_BODY", "{not json"),
        ("MODEL_EXTRA_BODY", "[1]"),
        ("INTENT_ROUTE_MARGIN", "2"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(key: str, value: str) -> None:
    with pytest.raises(SettingsError, match=key):
        load_settings({key: value})


def test_the_sentence_about_a_wrong_value_does_not_repeat_it() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({"PORT": "sk-secret-value"})
    assert "sk-secret" not in str(caught.value)


def test_a_key_never_shows_in_the_settings_text() -> None:
    settings = load_settings({"API_KEY": "sk-secret-value", "PG_URL": "postgresql://a:pw@h/d"})
    assert "sk-secret" not in repr(settings)
    assert "pw" not in repr(settings)


def test_every_setting_stands_in_the_example_file() -> None:
    example = (PROJECT_ROOT / ".env.example").read_text(encoding="utf-8")
    for name in Settings.model_fields:
        assert f"{name.upper()}=" in example, name

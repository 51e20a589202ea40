"""`.env.example` is the whole list of settings, and using it changes nothing."""

from itertools import pairwise

from meetmind.config.settings import PROJECT_ROOT, Settings, load_settings

EXAMPLE = PROJECT_ROOT / ".env.example"


def test_every_setting_stands_there_once_with_a_line_on_it() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    keys = []
    for before, line in pairwise(lines):
        if line and not line.startswith("#"):
            keys.append(line.partition("=")[0])
            assert before.startswith("# "), f"{line} has no line on what it is for"

    assert sorted(keys) == sorted(name.upper() for name in Settings.model_fields)


def test_a_copy_of_it_gives_the_defaults() -> None:
    assert load_settings({}, EXAMPLE) == Settings()

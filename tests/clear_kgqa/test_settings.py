"""Settings: precedence of the sources, names in the file, secrets, and errors in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.settings import Settings, load_settings, settings_file
from clear_kgqa_tools.errors import ConfigError


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults() -> None:
    settings = load_settings()
    assert (settings.kg, settings.model, settings.strategy) == ("demo", "offline", "clear")
    assert (settings.scorer, settings.policy) == ("calibrated", "voi")
    assert (settings.entity_threshold, settings.intent_threshold) == (0.6, 0.8)


def test_arguments_beat_the_environment_which_beats_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write(settings_file(), 'kg = "file"\nmodel = "file"\nstrategy = "interactive"\n')
    monkeypatch.setenv("CLEAR_KGQA_KG", "environment")
    monkeypatch.setenv("CLEAR_KGQA_MODEL", "environment")
    settings = load_settings(kg="argument", model=None)
    assert (settings.kg, settings.model, settings.strategy) == ("argument", "environment", "interactive")


def test_the_file_takes_the_names_of_the_options(tmp_path: Path) -> None:
    file = write(
        tmp_path / "own.toml",
        'base-url = "http://server"\nask-cost = 0.2\njson = true\nfail_if_ambiguous = true\n',
    )
    settings = load_settings(file)
    assert settings.base_url == "http://server"
    assert settings.ask_cost == 0.2
    assert settings.json_output
    assert settings.fail_if_ambiguous
    assert settings.config == file


def test_the_working_folder_sets_nothing(tmp_path: Path) -> None:
    write(tmp_path / "clear-kgqa.toml", 'base-url = "http://captures-keys"\n')
    write(tmp_path / ".env", "OPENAI_BASE_URL=http://captures-keys\nCLEAR_KGQA_BASE_URL=http://captures-keys\n")
    assert load_settings().base_url == ""


def test_the_key_is_read_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = load_settings()
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "sk-secret"
    for shown in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
        assert "sk-secret" not in shown


def test_own_variable_beats_the_shared_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://shared")
    assert load_settings().base_url == "http://shared"
    monkeypatch.setenv("CLEAR_KGQA_BASE_URL", "http://own")
    assert load_settings().base_url == "http://own"
    assert load_settings(base_url="http://argument").base_url == "http://argument"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"ask_cost": 7.0}, "ask-cost: .*less than or equal to 1.*--ask-cost"),
        ({"policy": "best"}, "policy: .*'voi' or 'thresholds'"),
        ({"timeout": 0}, "timeout: .*greater than 0.*CLEAR_KGQA_TIMEOUT"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_the_option(given: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected) as caught:
        load_settings(**given)
    assert "\n" not in str(caught.value)


def test_a_list_in_the_environment_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEAR_KGQA_SERVICES", '["http://a/", "http://b/"]')
    assert load_settings().services == ("http://a/", "http://b/")
    monkeypatch.setenv("CLEAR_KGQA_SERVICES", "http://a/")
    with pytest.raises(ConfigError, match=r'field "services".*a list is written as JSON'):
        load_settings()


def test_a_wrong_variable_does_not_show_a_key_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEAR_KGQA_HOPS", "many")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with pytest.raises(ConfigError, match=r"hops: .*CLEAR_KGQA_HOPS") as caught:
        load_settings()
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('bas-url = "x"\n', "no setting 'bas_url'.*'base_url'"),
        ("kg = \n", "not valid TOML"),
        ("[kg]\nname = 1\n", "kg: "),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected) as caught:
        load_settings(write(tmp_path / "own.toml", text))
    assert "\n" not in str(caught.value)


def test_a_missing_file_named_by_the_user_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the settings file"):
        load_settings(tmp_path / "none.toml")


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().kg = "other"

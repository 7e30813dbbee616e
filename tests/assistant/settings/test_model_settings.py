"""Settings of models, planning and spending, written by hand and by the program."""

from decimal import Decimal
from pathlib import Path

import pytest

from assistant.settings import read_settings
from assistant.settings.model_settings import (
    ENVIRONMENT_MODEL,
    NO_MODEL,
    ConfiguredModel,
    PlanningSettings,
    TokenPrice,
    parse_server_url,
    remove_model,
    save_model,
)
from assistant.settings.settings_file import save_value
from tools.tool_errors import ToolError

HERE = ConfiguredModel("Qwen", "qwen3:4b", "http://127.0.0.1:11434/v1", context=4096)
THERE = ConfiguredModel(
    "GPT",
    "gpt-5-mini",
    "https://api.openai.com/v1",
    api="responses",
    key=True,
    price=TokenPrice(Decimal("0.25"), Decimal(2)),
)
FILE = ConfiguredModel("File", file=Path("/models/a b.gguf"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "profile").mkdir()
    return tmp_path / "profile" / "settings.toml"


def test_models_are_read_back_as_they_were_written(path: Path) -> None:
    for model in (HERE, THERE, FILE):
        save_model(path, model)
    assert read_settings(path, {}).models == (HERE, THERE, FILE)
    assert path.stat().st_mode & 0o077 == 0


def test_a_changed_model_stays_in_its_place_with_the_comments_around_it(path: Path) -> None:
    path.write_text(
        '# mine\n[[models]]\nname = "Qwen"\nmodel = "old" # the small one\ncontext = 2048\n'
        'url = "http://127.0.0.1:1234"\n[mail]\nsending = true # for now\n'
    )
    save_model(path, FILE)
    save_model(path, HERE)
    assert read_settings(path, {}).models == (HERE, FILE)
    for comment in ("# mine", "# the small one", "# for now"):
        assert comment in path.read_text()


def test_choices_are_read_back(path: Path) -> None:
    for model in (HERE, THERE):
        save_model(path, model)
    save_value(path, "planning", "planner", "stepwise")
    save_value(path, "planning", "model", "GPT")
    save_value(path, "planning", "known_phrases", value=False)
    save_value(path, "writing", "model", "Qwen")
    save_value(path, "spending", "monthly", Decimal("12.50"))
    settings = read_settings(path, {})
    assert settings.planning == PlanningSettings("stepwise", "GPT", known_phrases=False)
    assert (settings.planning_model, settings.writing_model) == (THERE, HERE)
    assert settings.spending.monthly == Decimal("12.5")
    save_value(path, "spending", "monthly", None)
    assert read_settings(path, {}).spending.monthly is None


def test_by_default_the_first_model_plans_and_writes(path: Path) -> None:
    assert read_settings(path, {}).planning_model is None
    for model in (HERE, THERE):
        save_model(path, model)
    assert read_settings(path, {}).planning_model == HERE
    save_value(path, "planning", "model", "GPT")
    assert read_settings(path, {}).writing_model == THERE
    save_value(path, "writing", "model", NO_MODEL)
    assert read_settings(path, {}).writing_model is None


def test_no_other_model_replaces_a_chosen_one_that_was_removed(path: Path) -> None:
    for model in (HERE, THERE):
        save_model(path, model)
    save_value(path, "planning", "model", "Qwen")
    save_value(path, "writing", "model", "Qwen")
    remove_model(path, "Qwen")
    settings = read_settings(path, {"OPENAI_API_KEY": "sk-x"})
    assert [model.name for model in settings.models] == ["GPT", ENVIRONMENT_MODEL]
    assert (settings.planning_model, settings.writing_model) == (None, None)


def test_the_model_of_the_environment_is_used_where_none_is_configured(
    path: Path,
) -> None:
    settings = read_settings(path, {"OPENAI_API_KEY": "sk-x", "OPENAI_MODEL": "gpt-5"})
    assert settings.planning_model is not None
    assert settings.planning_model.url == "https://api.openai.com/v1"
    assert settings.planning_model.title == "gpt-5"
    assert "sk-x" not in repr(settings)
    save_model(path, HERE)
    assert read_settings(path, {"OPENAI_API_KEY": "sk-x"}).planning_model == HERE


def test_a_model_without_a_url_is_at_that_of_the_environment(path: Path) -> None:
    path.write_text('[[models]]\nname = "a"\nmodel = "b"\n')
    (model,) = read_settings(path, {}).models
    assert model.url == "https://api.openai.com/v1"
    model, _ = read_settings(path, {"OPENAI_BASE_URL": "http://localhost:9/v1/"}).models
    assert model.url == "http://localhost:9/v1"


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("models = 3", r"\[\[models\]\]"),
        ('[[models]]\nmodel = "x"', "one model lacks 'name'"),
        ('[[models]]\nname = "a"', "'a' lacks 'model'"),
        ('[[models]]\nname = ""\nmodel = "x"', "cannot have the name ''"),
        ('[[models]]\nname = "nobody"\nmodel = "x"', "cannot have the name 'nobody'"),
        ('[[models]]\nname = "a"\nmodel = "x"\nurl = "ftp://x"', "'url' of the model 'a'.*like"),
        ('[[models]]\nname = "a"\nmodel = "x"\nurl = "http://u:p@x/"', "no user, key"),
        ('[[models]]\nname = "a"\nmodel = "x"\napi = "grpc"', "'api'.*auto, chat, responses"),
        ('[[models]]\nname = "a"\nmodel = "x"\ncontext = 0', "'context'.*above zero"),
        ('[[models]]\nname = "a"\nmodel = "x"\ncontext = true', "'context'.*above zero"),
        ('[[models]]\nname = "a"\nmodel = "x"\nkey = "sk-secret"', "'key'.*true or false"),
        ('[[models]]\nname = "a"\nmodel = "x"\napi_key = "sk-secret"', "'api_key'.*it takes name"),
        ('[[models]]\nname = "a"\nfile = "x.gguf"\nurl = "http://x"', "'file'"),
        ('[[models]]\nname = "a"\nmodel = "x"\nprice = 3', "'price'.*table"),
        (
            '[[models]]\nname = "a"\nmodel = "x"\nprice = {prompt = 1}',
            "'price' of the model 'a' lacks 'completion'",
        ),
        ('[[models]]\nname = "a"\nmodel = "x"\nprice = {prompt = -1, completion = 1}', "'prompt'"),
        ('[[models]]\nname = "a"\nmodel = "x"\n' * 2, "two models have the name 'a'"),
        ('[planning]\nplanner = "oracle"', "'planner'.*built-in, written, stepwise"),
        ("[planning]\nmodel = 3", "'model'.*text"),
        ('[planning]\nknown_phrases = "yes"', "'known_phrases'.*true or false"),
        ("[planning]\nplaner = 1", r"'planer' of \[planning\].*it takes planner"),
        ("[writing]\nmodels = 1", r"'models' of \[writing\]"),
        ('[spending]\nmonthly = "10"', "'monthly'.*number"),
        ("[spending]\nmonthly = nan", "'monthly'.*number"),
        ("[mail]\nsending = 1", "'sending'.*true or false"),
    ],
)
def test_a_wrong_value_is_named_with_the_fix_and_no_key_is_repeated(
    path: Path, written: str, named: str
) -> None:
    path.write_text(written)
    with pytest.raises(ToolError, match=named) as caught:
        read_settings(path, {})
    assert str(path) in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert path.read_text() == written


def test_a_wrong_url_of_the_environment_is_named(path: Path) -> None:
    with pytest.raises(ToolError, match="OPENAI_BASE_URL"):
        read_settings(path, {"OPENAI_BASE_URL": "nonsense"})


def test_a_model_that_could_not_be_read_is_not_written(path: Path) -> None:
    for model in (ConfiguredModel("a"), ConfiguredModel(ENVIRONMENT_MODEL, "x")):
        with pytest.raises(ToolError):
            save_model(path, model)
    assert not path.exists()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
        ("https://x.example/openai/", "https://x.example/openai"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ],
)
def test_a_server_url_is_normalised(given: str, meant: str) -> None:
    assert parse_server_url(given) == meant


@pytest.mark.parametrize("given", ["", "x", "//x", "http://", "http://x:99999/", "file:///x"])
def test_an_invalid_server_url_is_refused(given: str) -> None:
    with pytest.raises(ToolError, match="must look like"):
        parse_server_url(given)


def test_only_models_on_this_computer_are_local() -> None:
    assert HERE.location == FILE.location == "this computer"
    assert THERE.location == "api.openai.com"
    lookalike = ConfiguredModel("a", "b", "http://127.0.0.1.evil.example/v1")
    assert not lookalike.is_local

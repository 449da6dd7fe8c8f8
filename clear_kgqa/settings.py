"""Every option: from arguments, then CLEAR_KGQA_* variables, then the settings file, then defaults."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from clear_kgqa_tools.errors import ConfigError

FILE_NAME = "clear-kgqa.toml"
MARS_STEPS = ("rewriting", "enrichment", "counts", "classes", "verification")
"""What the mars strategy can be run without, for an ablation."""


def _either(name: str, *foreign: str) -> AliasChoices:
    """The option's name, its own variable, then variables that other programs share."""
    return AliasChoices(name, f"CLEAR_KGQA_{name.upper()}", *foreign)


class Settings(BaseSettings):
    """What a run is made with. Construction reads the environment, `load_settings` the settings file too."""

    model_config = SettingsConfigDict(
        env_prefix="CLEAR_KGQA_", extra="forbid", frozen=True, populate_by_name=True, env_ignore_empty=True,
        hide_input_in_errors=True,
    )  # fmt: skip

    config: Path | None = None
    """The settings file that was read, if any."""

    kg: str = "demo"
    model: str = "offline"
    base_url: str = Field(default="", validation_alias=_either("base_url", "OPENAI_BASE_URL"))
    api_key: SecretStr | None = Field(default=None, validation_alias=_either("api_key", "OPENAI_API_KEY"))
    temperature: float = Field(default=0.0, ge=0, le=2)
    context_tokens: int = Field(default=16_000, ge=1_000)
    """What a conversation with the model may hold; older observations are shortened first."""
    reply_tokens: int = Field(default=4_096, ge=64)
    """The longest reply of the model, thinking included."""
    retries: int = Field(default=2, ge=0)
    """How often a request that a model server turned away (429, 5xx, no connection) is sent again."""
    protocol: Literal["auto", "tools", "text"] = "auto"
    """How the model calls tools: natively, by Thought/Action/Observation text, or as a probe of the server says."""
    token_budget: int | None = Field(default=None, ge=1)
    """Tokens, sent and received, after which a question is not taken further; None is no bound."""
    streaming: bool | None = None
    """Whether thoughts come piece by piece while they are written; None: in a chat, and not in a batch."""
    verify: bool = True
    """Whether the model checks its query once before it counts."""
    remind: bool = True
    """Whether a model that passes over a hint that changes the answer is stopped once and told to ask."""
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    """US dollars per million tokens sent and received; with both the cost is counted."""
    record: Path | None = None
    """Record what the model and the user say in this file, to replay it with --model replay:FILE."""

    strategy: str = "clear"
    steps: int = Field(default=20, ge=1)
    """Model turns per question."""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds for one question, waiting for the user not counted."""
    query_timeout: float = Field(default=10.0, gt=0)
    """Seconds for one query."""
    query_memory: int = Field(default=1024, ge=64)
    """Megabytes of resident memory for one query."""
    language: str = ""
    """Languages of names, the preferred first ("de,en"); "" takes them as the graph was built."""

    scorer: Literal["paper", "published-code", "calibrated", "noise"] = "calibrated"
    likelihood: str = "offline"
    policy: Literal["voi", "thresholds"] = "voi"
    ask_cost: float = Field(default=0.1, ge=0, le=1)
    """Price of a question to the user, in F1."""
    reply_noise: float = Field(default=0.0, ge=0, lt=1)
    """Chance, to begin with, that even an explicit choice is not what is meant; 0 binds it. Learnt from the replies."""
    asks_per_turn: int = Field(default=3, ge=0)
    asks_per_session: int = Field(default=100, ge=0)
    """Questions to the user; once they are used up the best reading is answered."""
    entity_threshold: float = Field(default=0.6, ge=0, le=1)
    intent_threshold: float = Field(default=0.8, ge=0, le=1)
    no_entity: bool = False
    no_intent: bool = False
    no_plugin: bool = False
    top_n: int | None = Field(default=None, ge=1)
    """Patterns shown to the model at a time; None is the strategy's own number."""
    hops: int | None = Field(default=None, ge=1)
    """How often a strategy may look further; None is its own number."""
    mars_without: str = ""
    """The MARS_STEPS to leave out, several by commas."""
    examples: str = ""
    """SELECTOR:K, the worked examples in the prompt."""
    examples_from: Path | None = None
    """The questions with gold queries that worked examples are chosen from."""
    ontology: Path | None = None
    """For nlkgq: an ontology file in place of the one derived from the graph."""
    ontology_tokens: int = Field(default=6_000, ge=100)
    """What the ontology may take of nlkgq's prompt."""
    wrapper: Path | None = None
    """For nlkgq: readable terms for a graph's own (.yaml or .tsv)."""
    note: str = ""
    """For nlkgq: what is particular to the domain, as text or as the name of a file."""
    services: tuple[str, ...] = ()
    """Endpoints that a wrapper may send a part of a query to."""

    user: str = "silent"
    gold_entities: bool = False
    concurrency: int = Field(default=1, ge=1)
    limit: int | None = Field(default=None, ge=1)
    per_type: int | None = Field(default=None, ge=1)
    shard: str = ""
    executor: Literal["local", "processes", "ray"] = "local"
    address: str = ""
    """The Ray cluster's; "" starts a local one."""
    retry_failed: bool = False
    seed: int = 0
    mode: Literal["strict", "lenient"] = "strict"

    train: Path | None = None
    test: Path | None = None
    selectors: str = ""
    shots: str = "0,1,3"
    gold_types: bool = False
    encoder: str = ""
    readable: bool = False

    questions: Path | None = None
    out: Path | None = None
    gold: Path | None = None
    predictions: Path | None = None

    session: str = ""
    web: bool = False
    assume_best: bool = False
    fail_if_ambiguous: bool = False
    json_output: bool = Field(default=False, validation_alias=_either("json"))

    @property
    def languages(self) -> tuple[str, ...]:
        """The preferred languages as lower-case tags, in order."""
        return tuple(tag.strip().lower() for tag in self.language.split(",") if tag.strip())

    @field_validator("mars_without")
    @classmethod
    def _known_steps(cls, value: str) -> str:
        steps = [s.strip() for s in value.split(",") if s.strip()]
        if unknown := [s for s in steps if s not in MARS_STEPS]:
            raise ValueError(f"there is no step {', '.join(unknown)}; the steps are {', '.join(MARS_STEPS)}")
        return ",".join(steps)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Neither .env files nor secret folders: a cloned folder must not set where a key is sent."""
        path = init_settings().get("config")
        file = InitSettingsSource(settings_cls, {} if path is None else _read(Path(path)))
        return init_settings, env_settings, file


def settings_file() -> Path:
    """Where the user's own settings file stands."""
    return platformdirs.user_config_path("clear-kgqa", appauthor=False) / FILE_NAME


def load_settings(config: Path | None = None, **given: Any) -> Settings:
    """The settings of this run; options given as None are not given. Raises ConfigError in one line.

    `config` names the settings file; without it the one in the user's configuration folder is read, if any.
    """
    if config is None and settings_file().is_file():
        config = settings_file()
    explicit = {_alias(name): value for name, value in given.items() if value is not None}
    try:
        return Settings(config=config, **explicit)
    except SettingsError as error:
        raise ConfigError(f'the environment: {error}; a list is written as JSON, such as ["a", "b"]') from None
    except ValidationError as error:
        faults = [_explain(str(e["loc"][0]), e["msg"], e["type"]) for e in error.errors(include_input=False)]
        raise ConfigError("; ".join(faults)) from None


def _alias(name: str) -> str:
    return "json" if name == "json_output" else name


def needed(settings: Settings, name: str) -> Any:
    """The value of an option that a command cannot do without; raises ConfigError where nothing gives it."""
    if (value := getattr(settings, name)) is None:
        raise ConfigError(f"--{name.replace('_', '-')} is missing")
    return value


def _read(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the settings file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    return {key.replace("-", "_"): value for key, value in data.items()}


def _explain(name: str, message: str, kind: str) -> str:
    if kind == "extra_forbidden":
        near = get_close_matches(name, Settings.model_fields, n=1) or ["kg"]
        return f"there is no setting {name!r}; settings are named like the options, such as {near[0]!r}"
    name = name.removeprefix("CLEAR_KGQA_").lower()
    option = name.replace("_", "-")
    return f"{option}: {message} (set it by --{option}, CLEAR_KGQA_{name.upper()} or {FILE_NAME})"

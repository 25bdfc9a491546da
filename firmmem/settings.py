"""Every choice a deployment can make, read once: the environment, then an .env file, then the default.

Clients start servers in arbitrary folders, so the .env file is the one that `FIRMMEM_ENV_FILE` names or the one
in the platform's configuration folder, never one in the working folder.
"""

import logging
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AliasChoices, BeforeValidator, Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from firmmem.errors import SettingsError

log = logging.getLogger(__name__)

TRUE = {"1", "true", "yes", "on", "y", "t"}
FALSE = {"0", "false", "no", "off", "n", "f", "", "null", "none"}


def data_folder() -> Path:
    """Return the platform's folder for this user's data: the base of a relative `FIRMMEM_DB`."""
    return Path(platformdirs.user_data_dir("firmmem", appauthor=False)).absolute()


def env_file() -> Path:
    """Return the .env file that is read, whether or not it exists."""
    named = os.environ.get("FIRMMEM_ENV_FILE", "")
    if named:
        return Path(named).expanduser()
    return Path(platformdirs.user_config_dir("firmmem", appauthor=False)) / ".env"


def switch(value: object, info: ValidationInfo) -> object:
    """Understand the usual words for on and off; for any other word warn and take the default, off."""
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    if word not in TRUE | FALSE:
        log.warning("%s is %r, which is neither true nor false: it is taken as false", setting_name(info), value)
    return word in TRUE


def setting_name(info: ValidationInfo) -> str:
    """Return the environment's name of the field being read."""
    return name_of(info.field_name or "")


def named(name: str) -> Any:
    """Return the alias under which the environment knows a field."""
    return AliasChoices(name)


Switch = Annotated[bool, BeforeValidator(switch)]


class Settings(BaseSettings):
    """One deployment's choices. `.env.example` lists them all with their defaults."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, env_file_encoding="utf-8", populate_by_name=True
    )

    db: Path = Field(
        default=Path("firmmem.db"),
        validation_alias=named("FIRMMEM_DB"),
        description="The SQLite file; a relative path lies in the platform's data folder.",
    )
    namespace: str = Field(
        default="default",
        min_length=1,
        max_length=200,
        validation_alias=named("DEFAULT_NAMESPACE"),
        description="The namespace of calls that name none.",
    )
    namespace_lock: Switch = Field(
        default=False,
        validation_alias=named("FIRMMEM_NAMESPACE_LOCK"),
        description="Refuse every other namespace than DEFAULT_NAMESPACE.",
    )
    draft_half_life: float = Field(
        default=7.0,
        ge=0.01,
        le=1e6,
        validation_alias=named("DRAFT_BASE_HALF_LIFE"),
        description="Base half-life of drafts, in days.",
    )
    validated_half_life: float = Field(
        default=60.0,
        ge=0.01,
        le=1e6,
        validation_alias=named("VALIDATED_BASE_HALF_LIFE"),
        description="Base half-life of validated memories, in days.",
    )
    strategic_half_life: float = Field(
        default=365.0,
        ge=0.01,
        le=1e6,
        validation_alias=named("STRATEGIC_BASE_HALF_LIFE"),
        description="Base half-life of strategic memories, in days.",
    )
    consolidation_base: float = Field(
        default=0.5,
        ge=0,
        le=100,
        validation_alias=named("CONSOLIDATION_BASE"),
        description="How much each well-spaced review lengthens the half-life.",
    )
    feedback_pos_delta: float = Field(
        default=0.1,
        gt=0,
        lt=1,
        validation_alias=named("FEEDBACK_POS_DELTA"),
        description="The share of missing trust that positive feedback adds; below FEEDBACK_NEG_DELTA.",
    )
    feedback_neg_delta: float = Field(
        default=0.3,
        gt=0,
        lt=1,
        validation_alias=named("FEEDBACK_NEG_DELTA"),
        description="The share of trust that negative feedback takes; above FEEDBACK_POS_DELTA.",
    )
    semantic_rerank: Switch = Field(
        default=False,
        validation_alias=named("ENABLE_SEMANTIC_RERANK"),
        description="Find by meaning too, with the optional model.",
    )
    normal_std_threshold: float = Field(
        default=3.0,
        ge=1,
        le=10,
        validation_alias=named("NORMAL_STD_THRESHOLD"),
        description="How many standard deviations from the rest make a memory's trust doubtful.",
    )
    prior_strength: float = Field(
        default=0.1,
        ge=0,
        le=1,
        validation_alias=named("FIRMMEM_PRIOR_STRENGTH"),
        description="How much age, trust and goal weigh beside relevance when a query is asked.",
    )
    other_goal: float = Field(
        default=0.6,
        ge=0,
        le=1,
        validation_alias=named("FIRMMEM_OTHER_GOAL_ALIGNMENT"),
        description="The alignment of memories of other goals than the one asked about.",
    )
    summary_cap: int = Field(
        default=2000,
        ge=100,
        le=100_000,
        validation_alias=named("FIRMMEM_SUMMARY_CAP"),
        description="The longest text, in characters, that is stored as one memory.",
    )
    core_write: Literal["add", "off"] = Field(
        default="add",
        validation_alias=named("FIRMMEM_CORE_WRITE"),
        description="Whether an agent may add core facts: add, or off.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="WARNING",
        validation_alias=named("FIRMMEM_LOG_LEVEL"),
        description="What is said on stderr: DEBUG, INFO, WARNING or ERROR.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment before the file; no secrets folder."""
        del settings_cls, file_secret_settings
        return init_settings, env_settings, dotenv_settings

    @field_validator("*", mode="before")
    @classmethod
    def _expanded(cls, value: object) -> object:
        """Refuse a placeholder that the client's configuration left unfilled."""
        if isinstance(value, str) and "${" in value:
            raise ValueError("it still holds an unfilled ${...} placeholder")
        return value.strip() if isinstance(value, str) else value

    @field_validator("core_write", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("db", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        path = value.expanduser()
        return path if path.is_absolute() else data_folder() / path

    @field_validator("feedback_neg_delta", mode="after")
    @classmethod
    def _asymmetric(cls, value: float, info: ValidationInfo) -> float:
        if value <= info.data.get("feedback_pos_delta", 0.0):
            raise ValueError("it must be greater than FEEDBACK_POS_DELTA")
        return value


def name_of(field: str) -> str:
    """Return the environment's name of a field of `Settings`."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else field.upper()


def read_settings() -> Settings:
    """Read the settings of this process.

    Raises:
        SettingsError: A value is wrong; every such setting is named, with what is allowed.
    """
    try:
        return Settings(_env_file=env_file())  # type: ignore[call-arg]  # pydantic-settings' own argument
    except ValidationError as error:
        wrong = "; ".join(sentence(fault) for fault in error.errors(include_url=False))
        raise SettingsError(f"{wrong}. Correct it where the server is configured and start it again.") from None


def sentence(fault: Any) -> str:
    """Return one clause that names the setting at fault and says what is allowed."""
    name = str(fault["loc"][0]) if fault["loc"] else "a setting"
    reason = str(fault["msg"]).removeprefix("Value error, ")
    return f"{name} is {str(fault['input'])!r}: {reason[:1].lower()}{reason[1:]}"

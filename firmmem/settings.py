"""Every choice a deployment can make, read once: the environment, then an .env file, then the default.

Clients start servers in arbitrary folders, so the .env file is the one that `FIRMMEM_ENV_FILE` names or the one
in the platform's configuration folder, never one in the working folder.
"""

import difflib
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import platformdirs
from annotated_types import Ge, Gt, Le, Lt, MaxLen
from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from firmmem.errors import SettingsError

log = logging.getLogger(__name__)

DEFAULT_DB = Path("firmmem.db")
TRUE = {"1", "true", "yes", "on", "enabled", "enable", "y", "t"}
FALSE = {"0", "false", "no", "off", "n", "f", "", "null", "none"}


def data_folder() -> Path:
    """Return the platform's folder for this user's data: the base of a relative `FIRMMEM_DB`."""
    return Path(platformdirs.user_data_dir("firmmem", appauthor=False)).absolute()


def config_folder() -> Path:
    """Return the platform's folder for this user's configuration: where the .env file is looked for."""
    return Path(platformdirs.user_config_dir("firmmem", appauthor=False)).absolute()


def env_file() -> Path:
    """Return the .env file that is read; one that `FIRMMEM_ENV_FILE` names has to exist.

    Raises:
        SettingsError: It does not.
    """
    named = os.environ.get("FIRMMEM_ENV_FILE", "").strip()
    if not named:
        return config_folder() / ".env"
    try:
        path = config_folder() / Path(named).expanduser()
    except RuntimeError:
        path = Path(named)
    if not path.exists() or path.is_dir():
        raise SettingsError(f"FIRMMEM_ENV_FILE is {named!r}: {path} is no file. Correct it, or leave it out.")
    return path


def variables() -> dict[str, str]:
    """Return what the .env file and, before it, the environment say; `${...}` is never filled in, but reported.

    Raises:
        SettingsError: The file can't be read.
    """
    file = env_file()
    try:
        said = dotenv_values(file, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"The settings in {file} can't be read: {reason}. Correct the file.") from None
    names = {name_of(field) for field in Settings.model_fields}
    for name in said.keys() - names:
        near = difflib.get_close_matches(name, names, 1)
        log.warning("%s in %s is no setting%s", name, file, f": is {near[0]} meant?" if near else "")
    return given(said, names) | given(os.environ, names)


def origins() -> dict[str, str]:
    """Return where each setting's value comes from: the environment, the .env file by its path, or the default.

    Raises:
        SettingsError: The file can't be read.
    """
    names = [name_of(field) for field in Settings.model_fields]
    file = env_file()
    try:
        in_file = given(dotenv_values(file, interpolate=False, encoding="utf-8-sig"), names)
    except (OSError, UnicodeDecodeError):
        in_file = {}  # which `variables` tells
    in_environment = given(os.environ, names)
    return {
        name: "environment" if name in in_environment else str(file) if name in in_file else "default" for name in names
    }


def given(values: Mapping[str, str | None], names: Iterable[str]) -> dict[str, str]:
    """Return the values of settings that are not left empty."""
    return {name: value for name in names if (value := (values.get(name) or "").strip())}


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


Switch = Annotated[bool, BeforeValidator(switch)]


class Settings(BaseModel):
    """One deployment's choices. `.env.example` lists them all with their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)

    db: Path = Field(
        default=DEFAULT_DB,
        validation_alias="FIRMMEM_DB",
        description="The SQLite file; a relative path lies in the platform's data folder.",
    )
    namespace: str = Field(
        default="default",
        min_length=1,
        max_length=200,
        validation_alias="DEFAULT_NAMESPACE",
        description="The namespace of calls that name none.",
    )
    namespace_lock: Switch = Field(
        default=False,
        validation_alias="FIRMMEM_NAMESPACE_LOCK",
        description="Refuse every other namespace than DEFAULT_NAMESPACE.",
    )
    draft_half_life: float = Field(
        default=7.0,
        ge=0.01,
        le=1e6,
        validation_alias="DRAFT_BASE_HALF_LIFE",
        description="Base half-life of drafts, in days.",
    )
    validated_half_life: float = Field(
        default=60.0,
        ge=0.01,
        le=1e6,
        validation_alias="VALIDATED_BASE_HALF_LIFE",
        description="Base half-life of validated memories, in days.",
    )
    strategic_half_life: float = Field(
        default=365.0,
        ge=0.01,
        le=1e6,
        validation_alias="STRATEGIC_BASE_HALF_LIFE",
        description="Base half-life of strategic memories, in days.",
    )
    consolidation_base: float = Field(
        default=0.5,
        ge=0,
        le=100,
        validation_alias="CONSOLIDATION_BASE",
        description="How much each well-spaced review lengthens the half-life.",
    )
    feedback_pos_delta: float = Field(
        default=0.1,
        gt=0,
        lt=1,
        validation_alias="FEEDBACK_POS_DELTA",
        description="The share of missing trust that positive feedback adds; below FEEDBACK_NEG_DELTA.",
    )
    feedback_neg_delta: float = Field(
        default=0.3,
        gt=0,
        lt=1,
        validation_alias="FEEDBACK_NEG_DELTA",
        description="The share of trust that negative feedback takes; above FEEDBACK_POS_DELTA.",
    )
    semantic_rerank: Switch = Field(
        default=False,
        validation_alias="ENABLE_SEMANTIC_RERANK",
        description="Find by meaning too, with the optional model (the extra `semantic`).",
    )
    model: str = Field(
        default="",
        validation_alias="FIRMMEM_MODEL",
        description="The name of the model that finds by meaning; empty is the default one.",
    )
    model_dir: str = Field(
        default="",
        validation_alias="FIRMMEM_MODEL_DIR",
        description="A folder with another sentence-transformers ONNX export, in place of FIRMMEM_MODEL.",
    )
    normal_std_threshold: float = Field(
        default=3.0,
        ge=1,
        le=10,
        validation_alias="NORMAL_STD_THRESHOLD",
        description="How many σ below the mean a trust is doubted; the check's other limits scale with it.",
    )
    prior_strength: float = Field(
        default=0.1,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_PRIOR_STRENGTH",
        description="How much age, trust and goal weigh beside relevance when a query is asked.",
    )
    other_goal: float = Field(
        default=0.6,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_OTHER_GOAL_ALIGNMENT",
        description="The alignment of memories that don't serve the goal asked about (core facts: 1).",
    )
    summary_cap: int = Field(
        default=2000,
        ge=100,
        le=100_000,
        validation_alias="FIRMMEM_SUMMARY_CAP",
        description="The longest text, in characters, that is stored as one memory.",
    )
    promote_trust: float = Field(
        default=0.7,
        gt=0,
        le=1,
        validation_alias="FIRMMEM_PROMOTE_TRUST",
        description="The trust from which a draft that was reviewed often enough becomes validated.",
    )
    promote_reviews: int = Field(
        default=3,
        ge=1,
        le=1000,
        validation_alias="FIRMMEM_PROMOTE_REVIEWS",
        description="The reviews that a draft needs to become validated by its trust.",
    )
    demote_trust: float = Field(
        default=0.4,
        ge=0,
        lt=1,
        validation_alias="FIRMMEM_DEMOTE_TRUST",
        description="The trust below which a validated memory becomes a draft; below FIRMMEM_PROMOTE_TRUST.",
    )
    purge_after_days: float = Field(
        default=0.0,
        ge=0,
        le=1e6,
        validation_alias="FIRMMEM_PURGE_AFTER_DAYS",
        description="Days after which what was forgotten is deleted from the archive for good; 0 is never.",
    )
    core_write: Literal["add", "propose", "off"] = Field(
        default="add",
        validation_alias="FIRMMEM_CORE_WRITE",
        description="What an agent may do with core facts: add them, propose them to a person, or, with off, nothing.",
    )
    backups_kept: int = Field(
        default=7,
        ge=0,
        le=1000,
        validation_alias="FIRMMEM_BACKUPS_KEPT",
        description="How many backups `firmmem backup` keeps beside the file; 0 keeps all.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="WARNING",
        validation_alias="FIRMMEM_LOG_LEVEL",
        description="What is said on stderr: DEBUG, INFO, WARNING or ERROR.",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _expanded(cls, value: object) -> object:
        """Refuse a placeholder that the client's configuration left unfilled."""
        if isinstance(value, str) and "${" in value:
            raise ValueError("it still holds an unfilled ${...} placeholder")
        return value.strip() if isinstance(value, str) else value

    @field_validator("core_write", "log_level", mode="before")
    @classmethod
    def _in_any_case(cls, value: object, info: ValidationInfo) -> object:
        choices = get_args(cls.model_fields[info.field_name or ""].annotation)
        return next((choice for choice in choices if choice.lower() == str(value).strip().lower()), value)

    @field_validator("db", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        try:
            path = value.expanduser()
        except RuntimeError:
            raise ValueError("its ~ names no home folder; give an absolute path") from None
        if path.is_absolute():
            return path
        if value != DEFAULT_DB:
            log.warning("FIRMMEM_DB %s is relative: it is taken as %s", value, data_folder() / path)
        return data_folder() / path

    @field_validator("feedback_neg_delta", mode="after")
    @classmethod
    def _asymmetric(cls, value: float, info: ValidationInfo) -> float:
        if value <= info.data.get("feedback_pos_delta", 0.0):
            raise ValueError("it must be greater than FEEDBACK_POS_DELTA")
        return value

    @field_validator("demote_trust", mode="after")
    @classmethod
    def _apart(cls, value: float, info: ValidationInfo) -> float:
        if value >= info.data.get("promote_trust", 1.0):
            raise ValueError("it must be less than FIRMMEM_PROMOTE_TRUST")
        return value


def name_of(field: str) -> str:
    """Return the environment's name of a field of `Settings`."""
    return str(Settings.model_fields[field].validation_alias)


def allowed(field: str) -> str:
    """Return what a field of `Settings` may be, in a few words."""
    info = Settings.model_fields[field]
    if info.annotation is bool:
        return "true or false"
    if info.annotation is Path:
        return "a path"
    if info.annotation in (int, float):
        return number(info.metadata, "a whole number" if info.annotation is int else "a number")
    if choices := get_args(info.annotation):
        return " or ".join([", ".join(choices[:-1]), choices[-1]])
    longest = [limit.max_length for limit in info.metadata if isinstance(limit, MaxLen)]
    return f"a name of at most {longest[0]} characters" if longest else "a text"


def number(limits: Iterable[object], kind: str) -> str:
    """Return the range that a number must be in."""
    said = {Ge: "from {}", Gt: "above {}", Le: "to {}", Lt: "below {}"}
    words = [kind]
    for limit in limits:
        for bound, phrase in said.items():
            if isinstance(limit, bound):
                words.append(phrase.format(f"{getattr(limit, bound.__name__.lower()):,.10g}"))
    return " ".join(words).replace(" below", " and below")


def read_settings() -> Settings:
    """Read the settings of this process.

    Raises:
        SettingsError: A value is wrong; every such setting is named, with what is allowed.
    """
    try:
        return Settings.model_validate(variables())
    except ValidationError as error:
        wrong = "; ".join(sentence(fault) for fault in error.errors(include_url=False))
        raise SettingsError(f"{wrong}. Correct it where the server is configured and start it again.") from None


def sentence(fault: Any) -> str:
    """Return one clause that names the setting at fault and says what is allowed."""
    name = str(fault["loc"][0])
    if fault["type"] == "value_error":
        return f"{name} is {fault['input']!r}: {fault['ctx']['error']}"
    field = next(field for field in Settings.model_fields if name_of(field) == name)
    return f"{name} is {fault['input']!r} and must be {allowed(field)}"

"""Every choice a deployment can make: one frozen object, which `environment` reads once."""

import logging
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from firmmem.env_file import data_folder
from firmmem.time_zone import find_zone

log = logging.getLogger(__name__)

DEFAULT_DB = Path("firmmem.db")
TRUE = {"1", "true", "yes", "on", "enabled", "enable", "y", "t"}
FALSE = {"0", "false", "no", "off", "n", "f", "", "null", "none"}


def parse_switch(value: object, info: ValidationInfo) -> object:
    """Understand the usual words for on and off; for any other word warn and take the default, off."""
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    if word not in TRUE | FALSE:
        log.warning("%s is %r, which is neither true nor false: it is taken as false", setting_name(info), value)
    return word in TRUE


def setting_name(info: ValidationInfo) -> str:
    """Return the environment's name of the field being read."""
    return variable_name(info.field_name or "")


Switch = Annotated[bool, BeforeValidator(parse_switch)]


NO_ADDRESS = "it is an address, and memories are in one SQLite file: give the path of a file"


def is_address(value: str) -> bool:
    """Return whether a value is an address such as postgresql://host/name, not a path; C:/ is a drive."""
    scheme, found, _ = value.partition(":/")
    return bool(found) and len(scheme) > 1 and scheme[0].isalpha() and all(c.isalnum() or c in "+.-" for c in scheme)


class Settings(BaseModel):
    """One deployment's choices. `.env.example` lists them all with their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, validate_default=True)

    db: Path = Field(
        default=DEFAULT_DB,
        validation_alias="FIRMMEM_DB",
        description="The SQLite file; a relative path is taken from the platform's data folder.",
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
    model: Annotated[str, "a name that `firmmem model list` shows"] = Field(
        default="",
        validation_alias="FIRMMEM_MODEL",
        description="The name of the model that finds by meaning; empty is the default one.",
    )
    model_dir: Annotated[str, "the path of a folder"] = Field(
        default="",
        validation_alias="FIRMMEM_MODEL_DIR",
        description="A folder with another sentence-transformers ONNX export, in place of FIRMMEM_MODEL.",
    )
    normal_std_threshold: float = Field(
        default=3.0,
        ge=1,
        le=10,
        validation_alias="NORMAL_STD_THRESHOLD",
        description="From how many σ below the mean the anomaly check quarantines; its other limits scale with it.",
    )
    prior_strength: float = Field(
        default=0.1,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_PRIOR_STRENGTH",
        description="How much age, trust and goal weigh against relevance when a query is asked.",
    )
    other_goal: float = Field(
        default=0.6,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_OTHER_GOAL_ALIGNMENT",
        description="The alignment of memories that don't serve the goal asked about (core facts: 1).",
    )
    silence: float = Field(
        default=0.3,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_SILENCE",
        description="The chance of an answer below which a recall says that nothing is relevant; 0: never.",
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
    core_session_cap: int = Field(
        default=20,
        ge=0,
        le=100_000,
        validation_alias="FIRMMEM_CORE_SESSION_CAP",
        description="Core facts that agents may add in one session; those beyond it wait for a person.",
    )
    core_cap: int = Field(
        default=200,
        ge=0,
        le=100_000,
        validation_alias="FIRMMEM_CORE_CAP",
        description="Core facts up to which agents may add some to a namespace; those beyond it wait for a person.",
    )
    time_zone: str = Field(
        default="",
        max_length=100,
        validation_alias="FIRMMEM_TIME_ZONE",
        description="The time zone of today and of dates shown, such as Asia/Shanghai; empty is the system's.",
    )
    session_gap_hours: float = Field(
        default=4.0,
        gt=0,
        le=1e4,
        validation_alias="FIRMMEM_SESSION_GAP_HOURS",
        description="The hours without a call after which what a client does next is a new session.",
    )
    hook_tokens: int = Field(
        default=600,
        ge=0,
        le=4000,
        validation_alias="FIRMMEM_HOOK_TOKENS",
        description="About how many tokens of memories a hook gives where a session starts; 0 gives none.",
    )
    hook_prompt_tokens: int = Field(
        default=250,
        ge=0,
        le=4000,
        validation_alias="FIRMMEM_HOOK_PROMPT_TOKENS",
        description="About how many tokens of memories a hook gives for one prompt; 0 gives none.",
    )
    hook_silence: float = Field(
        default=0.4,
        ge=0,
        le=1,
        validation_alias="FIRMMEM_HOOK_SILENCE",
        description="The chance that it answers below which a hook gives nothing for a prompt; 0: never.",
    )
    hook_seconds: float = Field(
        default=1.0,
        ge=0.05,
        le=60,
        validation_alias="FIRMMEM_HOOK_SECONDS",
        description="The seconds after which a hook ends and gives nothing; only the environment sets it.",
    )
    hook_capture: Literal["on", "off"] = Field(
        default="on",
        validation_alias="FIRMMEM_HOOK_CAPTURE",
        description="Whether a hook keeps what the user asks to remember in a prompt, as a draft or a proposal.",
    )
    hook_remind: Literal["compaction", "stop", "both", "off"] = Field(
        default="compaction",
        validation_alias="FIRMMEM_HOOK_REMIND",
        description="When a hook asks the agent to write what should last: after a compaction, before it stops, both.",
    )
    hook_remind_turns: int = Field(
        default=6,
        ge=1,
        le=1000,
        validation_alias="FIRMMEM_HOOK_REMIND_TURNS",
        description="The prompts without a write after which a hook may ask for one.",
    )
    backups_kept: int = Field(
        default=7,
        ge=0,
        le=1000,
        validation_alias="FIRMMEM_BACKUPS_KEPT",
        description="How many backups `firmmem backup` keeps next to the file; 0 keeps all.",
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

    @field_validator("core_write", "log_level", "hook_capture", "hook_remind", mode="before")
    @classmethod
    def _in_any_case(cls, value: object, info: ValidationInfo) -> object:
        choices = get_args(cls.model_fields[info.field_name or ""].annotation)
        return next((choice for choice in choices if choice.lower() == str(value).strip().lower()), value)

    @field_validator("time_zone", mode="after")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value:
            find_zone(value)
        return value

    @field_validator("db", mode="before")
    @classmethod
    def _a_path(cls, value: object) -> object:
        if is_address(str(value)):
            raise ValueError(NO_ADDRESS)
        return value

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


def variable_name(field: str) -> str:
    """Return the environment's name of a field of `Settings`."""
    return str(Settings.model_fields[field].validation_alias)

"""What a memory has beside its text: tags, a subject and a goal, and the words by which these find it too."""

import json
from typing import Any

from firmmem.contract import NewMemory
from firmmem.database import Connection, run
from firmmem.refusal import reads_like_instruction
from firmmem.words import Indexed, index

TAG_CAP = 32  # tags of one memory


def indexed(summary: str, subject: str, tags: tuple[str, ...]) -> Indexed:
    """Return the words that find a memory: those of its text, its subject and its tags."""
    return index("\n".join([summary, subject, *tags]))


def suspect(new: NewMemory) -> bool:
    """Return whether a memory's text or one of its labels reads like an order to an agent."""
    return any(map(reads_like_instruction, (new.summary, new.subject, new.goal_id, new.branch, *new.tags)))


def annotate(connection: Connection, row: Any, new: NewMemory, goal: int) -> None:
    """Add the tags, the subject and the goal (its number, 0 for none) that a memory lacks."""
    tags = tuple(dict.fromkeys([*json.loads(row["tags"]), *new.tags]))[:TAG_CAP]
    subject = row["subject"] or new.subject
    goal = row["goal"] or goal
    if (list(tags), subject, goal) == (json.loads(row["tags"]), row["subject"], row["goal"]):
        return
    words = indexed(row["summary"], subject, tags)
    run(
        connection,
        "annotate",
        id=row["id"],
        tags=json.dumps(tags, ensure_ascii=False),
        subject=subject,
        goal=goal,
        suspect=int(suspect(new)),
        words=words.words,
        repeated=words.repeated,
        length=words.length,
    )

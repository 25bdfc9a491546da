"""What a memory has beside its text: tags, a subject and a goal, and the words by which these find it too."""

import json
from functools import lru_cache
from typing import Any

from firmmem.contract import PERSON, NewMemory
from firmmem.store.statements import Connection, run
from firmmem.text.screening import reads_like_instruction
from firmmem.text.search_words import Indexed, index_columns
from firmmem.text.subjects import subject_key

TAG_CAP = 32  # tags of one memory


def index_words(summary: str, subject: str, tags: tuple[str, ...]) -> Indexed:
    """Return the words that find a memory: those of its text, its subject and its tags."""
    return index_columns("\n".join([summary, subject, *tags]))


def is_suspect(new: NewMemory, client: str) -> bool:
    """Return whether a memory's text or one of its labels reads like an order to an agent; a person may give orders."""
    if client == PERSON.client:
        return False
    return reads_like_instruction(new.summary) or labels_read_so((new.subject, new.goal_id, new.branch, *new.tags))


@lru_cache(4096)  # the same labels come again and again, in an import above all
def labels_read_so(labels: tuple[str, ...]) -> bool:
    """Return whether one of a memory's labels reads like an order to an agent."""
    return any(reads_like_instruction(label) for label in labels if label)


def add_labels(connection: Connection, row: Any, new: NewMemory, goal: int, *, doubtful: bool) -> None:
    """Add the tags, the subject and the goal (its number, 0 for none) that a memory lacks."""
    tags = tuple(dict.fromkeys([*json.loads(row["tags"]), *new.tags]))[:TAG_CAP]
    subject = row["subject"] or new.subject
    goal = row["goal"] or goal
    if (list(tags), subject, goal) == (json.loads(row["tags"]), row["subject"], row["goal"]):
        return
    words = index_words(row["summary"], subject, tags)
    run(
        connection,
        "annotate",
        id=row["id"],
        tags=json.dumps(tags, ensure_ascii=False),
        subject=subject,
        goal=goal,
        suspect=int(doubtful),
        words=words.words,
        repeated=words.repeated,
        length=words.length,
    )


def refused_label_notes(row: Any, new: NewMemory, goal: int) -> tuple[str, ...]:
    """Return a note on each label of a text written again that the memory does not take, since it has another."""
    if row["tier"] == "core":
        more = is_another_subject(row["subject"], new.subject) or not {*json.loads(row["tags"])}.issuperset(new.tags)
        note = f"its subject and tags stay: only a person changes a core fact (firmmem core edit {row['id']})"
        return (note,) if more else ()
    notes = []
    if row["subject"] and is_another_subject(row["subject"], new.subject):
        notes.append(f"its subject stays {row['subject']!r}, it did not become {new.subject!r}")
    if goal and row["goal"] not in (0, goal):
        notes.append(f"it serves another goal already and does not serve {new.goal_id!r}")
    if len({*json.loads(row["tags"]), *new.tags}) > TAG_CAP:
        notes.append(f"it has {TAG_CAP} tags, which is the most: not all of these were added")
    return tuple(notes)


def is_another_subject(subject: str, wanted: str) -> bool:
    """Return whether a subject is asked for that is not the one there is, however either is typed."""
    return bool(wanted) and subject_key(wanted) != subject_key(subject)

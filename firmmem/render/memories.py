"""A memory as a person sees it: on one line, whole, or as JSON for programs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from firmmem.dates.moments import format_day, format_time
from firmmem.text.normal_form import to_one_line


def memory_as_json(row: Any, namespace: str, goals: Mapping[int, str]) -> dict[str, Any]:
    """Return a memory as JSON shows it everywhere."""
    return {
        "id": row["id"],
        "tier": row["tier"],
        "text": row["summary"],
        "subject": row["subject"],
        "tags": json.loads(row["tags"]),
        "goal": goals.get(row["goal"], ""),
        "namespace": namespace,
        "state": row["state"],
        "branch": row["branch"],
        "source": row["source"],
        "trust": row["trust"],
        "importance": row["importance"],
        "reviews": row["recall_count"],
        "created_at": format_time(row["created_at"]),
        "reviewed_at": format_time(row["reviewed_at"]),
        "state_at": format_time(row["state_at"]),
        "state_cause": row["state_cause"],
        "state_reason": row["state_reason"],
        "superseded_by": row["superseded_by"],
    }


def listed_line(row: Any, goals: Mapping[int, str]) -> str:
    """Return a memory on one line of a list."""
    parts = [f"#{row['id']} {row['tier']} {format_day(row['created_at'])} trust={row['trust']:.2f}"]
    if row["superseded_by"]:
        parts.append(f"(superseded by #{row['superseded_by']})")
    elif row["state"] != "active":
        parts.append(f"({row['state']})")
    parts += [f"(goal {goals[row['goal']]})"] if row["goal"] in goals else []
    parts += [f"{{{row['subject']}}}"] if row["subject"] else []
    parts += [f"[{', '.join(json.loads(row['tags']))}]"] if row["tags"] != "[]" else []
    return " ".join([*parts, to_one_line(row["summary"])])


def whole_lines(row: Any, goals: Mapping[int, str]) -> Iterator[str]:
    """Yield a memory whole: its text as it was written, and what the file knows of it."""
    branch = f", branch {row['branch']}" if row["branch"] else ""
    yield f"#{row['id']} {row['tier']}, {row['state']}{branch}"
    yield from (f"  {line}" for line in row["summary"].splitlines())
    labels = {
        "subject": row["subject"],
        "tags": ", ".join(json.loads(row["tags"])),
        "goal": goals.get(row["goal"], ""),
        "written": f"{format_time(row['created_at'])} by {row['source'] or 'a client without a name'}",
        "trust": f"{row['trust']:.2f} ({row['initial_trust']:.2f} at first)",
        "importance": f"{row['importance']:.2f}",
        "reviews": f"{row['recall_count']}, the last {format_time(row['reviewed_at'])}"
        if row["recall_count"]
        else "none",
        "state": state_line(row),
    }
    width = max(map(len, labels))
    yield from (f"  {name:{width}}  {value}" for name, value in labels.items() if value)


def state_line(row: Any) -> str:
    """Return since when and why a memory is where it is; nothing while it is in use and never was elsewhere."""
    if row["state"] == "active" and not row["state_cause"]:
        return ""
    why = ": ".join(part for part in (row["state_cause"], row["state_reason"]) if part)
    by = f", superseded by #{row['superseded_by']}" if row["superseded_by"] else ""
    return f"{row['state']} since {format_time(row['state_at'])}{f' ({why})' if why else ''}{by}"


def ledgers_as_json(shown: Any) -> dict[str, Any]:
    """Return the versions, moves and votes of a memory that is shown whole."""
    return {
        "versions": [
            {
                "id": row["id"],
                "text": row["summary"],
                "state": row["state"],
                "created_at": format_time(row["created_at"]),
            }
            for row in shown.versions
        ],
        "moves": [
            {
                "at": format_time(row["at"]),
                "cause": row["cause"],
                "reason": row["reason"],
                "run": row["run"],
                "from": [row["from_tier"], row["from_state"], row["from_branch"]],
                "to": [row["to_tier"], row["to_state"], row["to_branch"]],
            }
            for row in shown.moves
        ],
        "votes": [
            {
                "at": format_time(row["at"]),
                "client": row["client"],
                "session": row["session"],
                "outcome": row["outcome"],
                "note": row["note"],
                "trust_before": row["trust_before"],
                "trust_after": row["trust_after"],
                "counts": bool(row["counts"]),
            }
            for row in shown.votes
        ],
        "conflicts": shown.conflicts,
    }

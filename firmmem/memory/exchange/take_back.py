"""An import is taken back: what it added goes, what it changed is as it was, in short transactions."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firmmem.memory.exchange.arrival import PAUSE_S, PIECE_S
from firmmem.memory.rows.hidden import HIDDEN, WRITTEN_TOO, hidden_branch, true_branch
from firmmem.memory.rows.shelves import ensure_shelf
from firmmem.store.statements import Connection, fetch, run, transaction

LOOKED = 200
COLUMNS = (
    "shelf", "tier", "goal", "subject", "tags", "importance", "initial_trust", "trust", "consolidation",
    "recall_count", "strength", "reviewed_at", "state_at", "state_cause", "state_reason", "superseded_by",
    "supersedes", "suspect", "words", "repeated", "length", "half_life", "stream", "rank_key", "fades_at",
)  # fmt: skip
LEDGERS = {
    "revocation": "arrival_drop_revocations",
    "vote": "arrival_drop_votes",
    "move": "arrival_drop_moves",
    "quarantine": "arrival_drop_quarantines",
    "review": "arrival_drop_reviews",
    "conflict": "arrival_drop_conflicts",
}


def snapshot_memory(connection: Connection, memory: int) -> dict[str, Any]:
    """Return all that a merge may change of a memory."""
    [row] = fetch(connection, "memory", id=memory)
    [entries] = fetch(connection, "arrival_ledgers", id=memory)
    shown = fetch(connection, "export_exposure", memory=memory)
    return {
        "row": {name: row[name] for name in COLUMNS},
        "ledgers": {name: json.loads(entries[name]) for name in LEDGERS},
        "exposure": [shown[0]["times"], shown[0]["last_at"]] if shown else None,
    }


def snapshot_goal(connection: Connection, goal: int) -> dict[str, Any] | None:
    """Return what an import may change of a goal; None where it is not there."""
    found = fetch(connection, "arrival_goal", id=goal)
    return {"opened_at": found[0]["opened_at"], "closed_at": found[0]["closed_at"]} if found else None


@dataclass
class TakingBack:
    """Where the taking back of an import has come; begun again, it goes on where it was."""

    connection: Connection
    run_id: int
    count: int = 0

    def work(self, now: Callable[[], float]) -> Iterator[str]:
        """Take it back, and yield what stays and why."""
        [arrival] = fetch(self.connection, "arrival", run=self.run_id)
        yield from self.restore_changes()
        self.loosen(arrival)
        yield from self.delete_rows(arrival)
        with transaction(self.connection):
            self.clear_shelves()
            yield from self.drop_goals()
            run(self.connection, "run_undo", id=self.run_id, now=now())

    def restore_changes(self) -> Iterator[str]:
        """Put back what was changed, the last change first."""
        while True:
            with transaction(self.connection):
                until = time.perf_counter() + PIECE_S
                rows = fetch(self.connection, "arrival_changes", run=self.run_id, most=LOOKED)
                for row in rows:
                    if row["kind"] != "goal":
                        yield from self.restore(row)
                        run(self.connection, "arrival_change_drop", id=row["id"])
                    if time.perf_counter() > until:
                        break
                if all(row["kind"] == "goal" for row in rows):
                    return
            time.sleep(PAUSE_S)

    def restore(self, row: Any) -> Iterator[str]:
        """Put one memory or proposal back."""
        before, after, changed = json.loads(row["before"]), json.loads(row["after"]), row["changed"]
        if row["kind"] == "proposal":
            if [each["state"] for each in fetch(self.connection, "arrival_proposal", id=changed)] == ["waiting"]:
                run(self.connection, "arrival_proposal_drop", id=changed)
                self.count += 1
            return
        if not fetch(self.connection, "memory", id=changed):
            return
        if snapshot_memory(self.connection, changed) != after:
            yield f"#{changed} stays as it is: it changed since"
            return
        for name, statement in LEDGERS.items():
            run(self.connection, statement, id=changed, kept=json.dumps(before["ledgers"][name]))
        run(self.connection, "arrival_restore", id=changed, **before["row"])
        if before["exposure"] is None:
            run(self.connection, "arrival_drop_exposure", id=changed)
        else:
            times, last_at = before["exposure"]
            run(self.connection, "arrival_set_exposure", id=changed, times=times, last_at=last_at)
        self.count += 1

    def loosen(self, arrival: Any) -> None:
        """Let superseded memories refer to themselves, so that none holds another."""
        place = {"first": arrival["first_id"], "last": arrival["last_id"], "from": arrival["first_id"]}
        while True:
            with transaction(self.connection):
                changed = run(self.connection, "arrival_loosen", **place, most=LOOKED // 2)
            if not changed:
                return
            time.sleep(PAUSE_S)

    def delete_rows(self, arrival: Any) -> Iterator[str]:
        """Delete the new memories, but for those that were used since."""
        place = {"first": arrival["first_id"], "last": arrival["last_id"]}
        place |= {"votes_to": arrival["votes_to"], "moves_to": arrival["moves_to"], "written_too": WRITTEN_TOO}
        start = arrival["first_id"]
        while True:
            with transaction(self.connection):
                until = time.perf_counter() + PIECE_S
                rows = fetch(self.connection, "arrival_rows", **place, **{"from": start}, most=LOOKED)
                for row in rows:
                    start = row["id"] + 1
                    if row["lived"]:
                        self.keep(row)
                        yield f"#{row['id']} stays: it was voted on, moved or referred to since"
                    else:
                        run(self.connection, "arrival_delete", id=row["id"])
                        self.count += 1
                    if time.perf_counter() > until:
                        break
            if not rows:
                return
            time.sleep(PAUSE_S)

    def keep(self, row: Any) -> None:
        """Let a memory that stays be seen."""
        if row["branch"].startswith(HIDDEN):
            shelf = ensure_shelf(self.connection, row["namespace"], row["state"], true_branch(row["branch"]))
            run(self.connection, "arrival_put", id=row["id"], shelf=shelf)

    def clear_shelves(self) -> None:
        """Drop the shelves on which it lay."""
        for shelf in fetch(self.connection, "arrival_shelves", branches=f"{hidden_branch(self.run_id, '')}*"):
            run(self.connection, "arrival_shelf_drop", id=shelf["id"])

    def drop_goals(self) -> Iterator[str]:
        """Put the goals back, now that no memory of the import serves one."""
        for row in fetch(self.connection, "arrival_changes", run=self.run_id, most=-1):
            before, after, goal = json.loads(row["before"]), json.loads(row["after"]), row["changed"]
            found = fetch(self.connection, "arrival_goal", id=goal)
            if found and snapshot_goal(self.connection, goal) != after:
                yield f"goal {found[0]['name']!r} stays as it is: it changed since"
            elif found and before is not None:
                run(self.connection, "arrival_goal_restore", id=goal, **before)
            elif found and not found[0]["served"]:
                run(self.connection, "arrival_goal_drop", id=goal)
            run(self.connection, "arrival_change_drop", id=row["id"])

"""What a fault left: how many writes were answered, what is wrong, how long the writes took."""

from dataclasses import dataclass, field, replace

from faults.oracle import Oracle


@dataclass(frozen=True)
class Result:
    """One fault's outcome; `skipped` says why it could not be done here."""

    name: str
    answered: int
    faults: list[str]
    oracle: Oracle | None = None
    notes: list[str] = field(default_factory=list)
    skipped: str = ""

    def noting(self, note: str) -> "Result":
        """Return it with a note."""
        return replace(self, notes=[*self.notes, note])

    def row(self) -> tuple[str, str, str, str, str]:
        """Return it as a row of the table."""
        if self.skipped:
            return self.name, "", f"skipped: {self.skipped}", "", ""
        said = "; ".join(self.faults) or "none"
        if self.notes:
            said += f" ({'; '.join(self.notes)})"
        if self.oracle is None or not self.oracle.seconds:
            return self.name, f"{self.answered:,}", said, "", ""
        return (
            self.name,
            f"{self.answered:,}",
            said,
            f"{self.oracle.percentile(0.5):.1f}",
            f"{self.oracle.percentile(0.99):.0f}",
        )

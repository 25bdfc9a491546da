"""What a recall may cost at most, however common the words of its query are."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Caps:
    """How many rows each part of a search by words looks at, and how many terms it weighs."""

    known: int = 2_000  # rows of a word of a short query that are read at once, without counting them first
    counted: int = 24_000  # rows that are counted to know how common the words of a query are
    least_counted: int = 100  # and for each of them at least
    dated: int = 50_000  # rows that are counted to know how many were written in a span that the query states
    brought: int = 6_000  # rows that the words of a query may bring: the rarest words first
    filtered: int = 3_000  # and where tags, tiers or dates decide beside them, so that every row must be read
    walked: int = 600_000  # entries of the index that are walked to find which rows have two of the commoner terms
    weighing: int = 8  # terms too common to bring rows that still weigh among those of the others
    candidates: int = 500  # of the rows brought, those that are read: the ones with most of what was asked
    leading: int = 2  # of these, those among whose neighbours every term is looked for
    company: int = 16  # terms that are looked for there: the rarest
    scored: int = 200  # candidates by words that are scored: the most relevant

    def shared_by(self, clauses: int) -> "Caps":
        """Return the part of one of so many clauses."""
        if clauses == 1:
            return self
        each = {name: getattr(self, name) // clauses for name in ("counted", "brought", "walked", "dated")}
        each |= {name: max(LEAST, getattr(self, name) // clauses) for name in ("candidates", "scored")}
        return replace(self, **each)


LEAST = 50  # rows of one of several clauses that are read and scored at least
MANY = 1 << 40  # more than a shelf has rows
USUAL = Caps()
UNCAPPED = Caps(  # what the usual ones are measured against; where every row is found, its neighbours are too
    known=2_000,
    counted=MANY,
    least_counted=MANY,
    dated=MANY,
    brought=MANY,
    filtered=MANY,
    walked=0,
    weighing=MANY,
    candidates=MANY,
    leading=0,
    company=0,
    scored=MANY,
)

"""Tables in Markdown, and the places that documents keep for them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left, figures right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def in_benchmarks(name: str, text: Callable[[bool], str]) -> None:
    """Put a text between the markers of this name on both pages of benchmarks; `text` gets True for the Chinese one."""
    for folder, chinese in ((DOCS, False), (DOCS / "zh", True)):
        between(folder / "benchmarks.md", name, text(chinese))


def between(path: Path, name: str, text: str) -> None:
    """Put the text between a document's markers of this name, which are added at its end where it has none.

    Raises:
        ValueError: The document has one marker without the other.
    """
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if start not in old and end not in old:
        old += f"\n{start}\n{end}\n"
    before, _, rest = old.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{path.name} has no {start} before its {end}")
    path.write_text(f"{before}{start}\n{text.strip()}\n{end}{after}", encoding="utf-8")

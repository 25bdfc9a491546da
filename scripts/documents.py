"""Tables in Markdown, and the places that documents keep for them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

README, README_ZH = (Path(__file__).resolve().parent.parent / name for name in ("README.md", "README.zh-CN.md"))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left, figures right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def in_readmes(name: str, text: Callable[[bool], str]) -> None:
    """Put a text between the READMEs' markers of this name: `text` is asked for it, True for the Chinese one."""
    for readme, chinese in ((README, False), (README_ZH, True)):
        between(readme, name, text(chinese))


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

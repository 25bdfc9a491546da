"""The figures of peers as tables."""

from collections.abc import Sequence

from documents import table

from benching.peers import PEERS, ours
from benching.peers.timing import Asked, Compared, Stand
from benching.report import in_chinese

NOTE = (
    "Each cell is the median in milliseconds until the reply was read, its ratio to FirmMem's, and how many memories "
    "the reply held, of 20 asked for where the call takes a number."
)
NOTE_ZH = "每格依次是：读完答复的中位时间（毫秒）、与 FirmMem 的比值、答复中的记忆条数（能指定条数的调用都要 20 条）。"


def overview(compared: Compared, *, chinese: bool = False) -> str:
    """Return one size's table, a row a question and a column a peer, after what its cells are."""
    [firmmem] = [each for each in compared.stands if each.name == ours.FIRMMEM.name]
    rows = [[name, *(cell(each, firmmem, name) for each in compared.stands)] for name in firmmem.asked]
    rows.append(["RSS after it all, MB", *(f"{each.rss_mb:.0f}" for each in compared.stands)])
    rows.append(["file, MB", *(f"{each.file_mb:.1f}" if each.file_mb else "–" for each in compared.stands)])
    names = [each.name for each in compared.stands]
    if chinese:
        return f"{NOTE_ZH}\n\n{table((f'{compared.size:,} 条记忆', *names), map(in_chinese, rows))}"
    return f"{NOTE}\n\n{table((f'{compared.size:,} memories', *names), rows)}"


def cell(stand: Stand, firmmem: Stand, name: str) -> str:
    asked = stand.asked[name]
    ratio = asked.median / firmmem.asked[name].median
    held = "" if stand.name == ours.ECHO.name or name == "write" else f", {asked.returned:g}"
    return f"{asked.median:.2f} ({figure(ratio)}×){held}"


def figure(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def tails(compared: Compared) -> str:
    """Return one size's 95th percentiles and processor times."""
    rows = [[name, *(tail(each.asked[name]) for each in compared.stands)] for name in compared.stands[0].asked]
    rows.append(["filled, memories a second", *(f"{each.pace:.0f}" if each.pace else "–" for each in compared.stands)])
    header = f"{compared.size:,} memories, {compared.rounds} rounds: p95, CPU, ms"
    return table((header, *(each.name for each in compared.stands)), rows)


def tail(asked: Asked) -> str:
    return f"{asked.p95:.2f}, {asked.cpu:.2f}"


def remarks(compared: Compared) -> str:
    """Return which peers were left out and why, and which were asked less often than the others."""
    out = [f"- Not at {compared.size:,}: {name}: {why}." for name, why in compared.left_out.items()]
    slow = [
        f"- {each.name}, {name}: asked {asked.times} times of {compared.rounds}; more would have taken too long."
        for each in compared.stands
        for name, asked in each.asked.items()
        if asked.times < compared.rounds
    ]
    return "\n".join(out + slow)


def calls() -> str:
    """Return what the columns are."""
    return "\n".join(
        [f"- {each.name}: {each.how}." for each in (ours.ECHO, ours.FIRMMEM)]
        + [f"- {each.name} (`{each.package}`, {each.licence}): {each.how}." for each in PEERS]
    )


def whole(compared: Sequence[Compared]) -> str:
    """Return everything that was measured, size by size."""
    parts = [calls()]
    for each in compared:
        parts += [overview(each), tails(each), remarks(each)]
    return "\n\n".join(part for part in parts if part)

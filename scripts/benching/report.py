"""The figures as tables."""

import statistics
from collections.abc import Callable, Sequence

from documents import table

from benching.recall import FSYNC, Measured, Timed
from benching.servers import Start

NOTE = (
    "Each cell is the median in milliseconds and its ratio to the echo of the same run; every round asks each case "
    "once, over stdio. `write` and `feedback` end on the disk."
)
NOTE_ZH = (
    "每格是中位数（毫秒）及其与同一次运行中 echo 的比值；每一轮通过 stdio 把每种调用各做一次。"
    "`write` 和 `feedback` 的时间包括落盘。"
)
CHINESE = {
    "ms (× echo)": "毫秒（× echo）",
    "echo of a bare SDK server": "空 SDK 服务器的 echo",
    "recall without a query, limit 20": "无查询的 recall，limit 20",
    "recall without a query": "无查询的 recall",
    "recall for a goal, limit 20": "按目标 recall，limit 20",
    "recall, a rare word": "recall：一个罕见词",
    "recall, a common word": "recall：一个常见词",
    "recall, three ordinary words": "recall：三个普通词",
    "recall, ten words of a memory": "recall：某条记忆中的十个词",
    "recall, only function words": "recall：只有虚词",
    "recall, the 24 commonest words": "recall：最常见的 24 个词",
    "recall, one letter": "recall：一个字母",
    "recall, punctuation": "recall：只有标点",
    "recall, 100 kB of text": "recall：100 kB 文本",
    "an append of 4 KiB and fsync": "追加 4 KiB 并 fsync",
    "start to the first recall, s": "从启动到第一次 recall 的答复，秒",
    "recall of 20 without a query, in process, ms": "无查询的 recall，limit 20（进程内），毫秒",
    "the same by scoring every row": "同样的结果，逐行打分再排序",
    "RSS after it all, MB": "全部做完后的内存（RSS），MB",
    "file, MB": "文件，MB",
}


def startup(ours: Sequence[Start], bare: Sequence[Start]) -> str:
    """Return what both servers used until they answered, as medians, and how they compare."""
    rows = [
        compared("wall until `initialize`, ms", ours, bare, lambda each: each.initialize_seconds * 1000),
        compared("wall until `tools/list`, ms", ours, bare, lambda each: each.list_seconds * 1000),
        compared("CPU until `initialize`, ms", ours, bare, lambda each: each.initialize_cpu * 1000),
        compared("CPU until `tools/list`, ms", ours, bare, lambda each: each.list_cpu * 1000),
        compared("RSS idle, MB", ours, bare, lambda each: each.rss_mb),
    ]
    return table((f"medians of {len(ours)} starts", "FirmMem", "bare SDK server", "difference", "ratio"), rows)


def compared(name: str, ours: Sequence[Start], bare: Sequence[Start], value: Callable[[Start], float]) -> list[str]:
    mine, other = (statistics.median(map(value, starts)) for starts in (ours, bare))
    return [name, f"{mine:.0f}", f"{other:.0f}", f"{mine - other:+.0f}".replace("-", "−"), f"{mine / other:.2f}×"]


def overview(measured: Sequence[Measured], *, chinese: bool = False) -> str:
    """Return one table over all sizes, a row a case, after what its cells are."""
    names = [case.name for case in measured[0].cases]
    rows = [[name, *(cell(each, name) for each in measured)] for name in names]
    rows.append(["start to the first recall, s", *(f"{each.first_reply_seconds:.2f}" for each in measured)])
    rows.append(["recall of 20 without a query, in process, ms", *(f"{each.ranked_ms:.2f}" for each in measured)])
    rows.append(["the same by scoring every row", *(plainly(each) for each in measured)])
    rows.append(["RSS after it all, MB", *(f"{each.rss_mb:.0f}" for each in measured)])
    rows.append(["file, MB", *(f"{each.file_mb:.0f}" for each in measured)])
    header = ("ms (× echo)", *(f"{each.size:,}" for each in measured))
    if not chinese:
        return f"{NOTE}\n\n{table(header, rows)}"
    return f"{NOTE_ZH}\n\n{table(in_chinese(header), map(in_chinese, rows))}"


def in_chinese(row: Sequence[str]) -> list[str]:
    return [CHINESE.get(row[0], row[0]), *row[1:]]


def cell(measured: Measured, name: str) -> str:
    case = named(measured, name)
    return f"{case.median:.2f} ({case.to_echo:.1f}×)"


def plainly(measured: Measured) -> str:
    """Return what a plain ORDER BY takes, and how often the ranking fits into that."""
    return f"{measured.plain_ms:.1f} ({measured.plain_ms / measured.ranked_ms:.0f}×)"


def named(measured: Measured, name: str) -> Timed:
    [case] = [each for each in measured.cases if each.name == name]
    return case


def details(measured: Measured) -> str:
    """Return one size's table with its tails."""
    unit = measured.cases[0].cpu
    rows = [
        [
            case.name,
            *(f"{figure:.2f}" for figure in (case.median, case.p95, case.p99)),
            f"{case.to_echo:.2f}×",
            f"{case.cpu:.2f}" if case.cpu else "–",
            f"{case.cpu / unit:.2f}×" if case.cpu else "–",
        ]
        for case in measured.cases
    ]
    return table((f"{measured.size:,} memories, ms", "median", "p95", "p99", "to echo", "CPU", "to echo"), rows)


def write_cost(measured: Measured, name: str = "write") -> str:
    """Return how a write compares with an echo and one fsync, as medians of the same run."""
    [echo, *_], fsync = measured.cases, named(measured, FSYNC)
    ratio = (named(measured, name).median - fsync.median) / echo.median
    return f"A {name} at {measured.size:,} takes one fsync and {ratio:.2f}× the echo."

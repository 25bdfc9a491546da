"""The figures as Markdown tables."""

from collections.abc import Sequence

from documents import table

from evaluation.measures import Answer, difference, mean, quantile

COLUMNS = ("", "R@1", "R@5", "R@10", "H@1", "H@5", "H@10", "MRR", "none", "tokens", "p50 ms", "p95 ms")


def share(value: float) -> str:
    """Return a share of 0..1 as the tables show it: .644."""
    return f"{value:.3f}".replace("0.", ".", 1)


def signed(value: float) -> str:
    return ("−" if value < 0 else "+") + share(abs(value))


def row(name: str, answers: Sequence[Answer], *, capped: bool) -> list[str]:
    """Return one way's figures as COLUMNS names them."""
    cells = [share(mean([each.recall(k, capped=capped) for each in answers])) for k in (1, 5, 10)]
    cells += [share(mean([each.hit(k) for each in answers])) for k in (1, 5, 10)]
    cells.append(share(mean([each.reciprocal() for each in answers])))
    cells.append(share(nothing(answers)))
    if not any(each.seconds for each in answers):
        return [name, *cells, "–", "–", "–"]
    milliseconds = [each.seconds * 1000 for each in answers]
    cells.append(f"{mean([each.tokens for each in answers]):.0f}")
    return [name, *cells, f"{quantile(milliseconds, 0.5):.1f}", f"{quantile(milliseconds, 0.95):.1f}"]


def ways(answers: dict[str, list[Answer]], *, capped: bool) -> str:
    """Return the table of all ways of asking."""
    return table(COLUMNS, [row(name, each, capped=capped) for name, each in answers.items()])


def differences(answers: dict[str, list[Answer]], *, capped: bool) -> str:
    """Return how the first way differs from each other one in R@10 and MRR, with 95 % intervals."""
    (first, ours), *others = answers.items()
    rows = []
    for name, theirs in others:
        in_recall = difference(ours, theirs, lambda each: each.recall(10, capped=capped))
        in_rank = difference(ours, theirs, Answer.reciprocal)
        rows.append([name, interval(in_recall), interval(in_rank)])
    return table((f"{first} less …", "R@10 (95 %)", "MRR (95 %)"), rows) if rows else ""


def interval(found: tuple[float, float, float]) -> str:
    middle, low, high = map(signed, found)
    return f"{middle} ({low} … {high})"


def categories(answers: dict[str, list[Answer]], *, capped: bool) -> str:
    """Return each category's R@10, by way of asking."""
    first = next(iter(answers.values()))
    names = sorted({each.category for each in first} - {""})
    rows = []
    for name in names:
        picked = [[each for each in some if each.category == name] for some in answers.values()]
        figures = [share(mean([each.recall(10, capped=capped) for each in some])) for some in picked]
        rows.append([name, str(len(picked[0])), *figures])
    return table(("R@10 by category", "questions", *answers), rows) if rows else ""


NO_FLOOR = "no floor"  # how a way ends that only shows what abstaining costs
SUMMARY = ("", "questions", "R@1", "R@5", "R@10", "MRR", "plain FTS5, R@10", "tokens")
SUMMARY_ZH = ("", "问题", "R@1", "R@5", "R@10", "MRR", "普通 FTS5 的 R@10", "词元")


CHINESE = {  # of what a row's name is put together; longer parts before those they hold
    "LoCoMo: dialogue turns": "LoCoMo：对话轮次",
    "MemDaily: rambling Chinese questions, draw 0": "MemDaily：绕弯的中文提问，第 0 次抽样",
    ", shuffled": "，打乱",
    ", interleaved": "，两段对话交错",
    ", 3 sentences around": "，前后加 3 句无关的话",
    "LifeBench: Chinese and English records": "LifeBench：中英文混合记录",
    "LifeBench: Chinese records": "LifeBench：中文记录",
    "LifeBench: English records": "LifeBench：英文记录",
    "KdConv: Chinese facts": "KdConv：中文事实",
    "CMRC 2018: Chinese paragraphs": "CMRC 2018：中文段落",
    "Cranfield: abstracts": "Cranfield：论文摘要",
    "LongMemEval, fragments: turns": "LongMemEval 片段：对话轮次",
    ", Chinese questions": "，中文问题",
    ", English questions": "，英文问题",
    ", with the model": "，用模型",
    ", 8 months later": "，8 个月后",
    ", no floor": "，不设下限",
    ", token budget 20,000": "，词元预算 20,000",
}


def nothing(answers: Sequence[Answer]) -> float:
    """Return the share of questions to which no memory was told."""
    return mean([float(not each.told) for each in answers])


def summary(title: str, answers: dict[str, list[Answer]], *, capped: bool) -> list[list[str]]:
    """Return one set's rows of SUMMARY: each way of asking, beside the best of the plain tables."""
    plain = max(row("", each, capped=capped)[3] for name, each in answers.items() if name.startswith("plain"))
    rows = []
    for name, ours in answers.items():
        if not name.startswith("plain") and not name.endswith(NO_FLOOR):
            figures = row("", ours, capped=capped)
            whole = title + name.removeprefix("FirmMem")
            rows.append([whole, f"{len(ours):,}", *figures[1:4], figures[7], plain, figures[9]])
    return rows


def summaries(rows: Sequence[Sequence[str]], *, chinese: bool = False) -> str:
    """Return the table of all sets."""
    if not chinese:
        return table(SUMMARY, rows)
    return table(SUMMARY_ZH, [[in_chinese(name), *figures] for name, *figures in rows])


def in_chinese(name: str) -> str:
    """Return what a row of the summary is called, with each of its parts in Chinese."""
    for english, chinese in CHINESE.items():
        name = name.replace(english, chinese)
    return name

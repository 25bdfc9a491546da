"""Stores of "The user …": many short memories that begin alike, asked in other words for what is there and what is not.

Half of the facts in `user_facts.tsv` are in a store and half are not; the halves are swapped in a second store. The
other memories say which things the user bought, repaired or lost, which nothing asks about.
"""

import csv
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path

from evaluation.sets import DAY, UNDATED, Asked, Collection, Item

FACTS = Path(__file__).with_name("user_facts.tsv")
SIZES = (5, 20, 150, 1_000, 20_000)
PRESENT, ABSENT = "there", "not there"
SEED = 2018

ENGLISH_DEEDS = (
    "bought returned repaired photographed borrowed packed cleaned ordered found wrapped sharpened moved labelled"
)
ENGLISH_THINGS = (
    "lamp carpet kettle umbrella curtain ladder suitcase notebook toaster mirror bucket candle clock basket drill "
    "hammer blanket teapot shelf vase rope tent stapler calculator scarf backpack jar broom fan printer cushion "
    "microphone tripod whistle kite compass thermos envelope magnet saucepan"
)
ENGLISH_MONTHS = "January February March April May June July August September October November December"
CHINESE_DEEDS = "买了 退了 修好了 拍了 借了 装好了 擦了 订了 找到了 包好了 磨了 挪了 标记了"
CHINESE_THINGS = (
    "台灯 地毯 水壶 雨伞 窗帘 梯子 行李箱 笔记本 烤面包机 镜子 水桶 蜡烛 时钟 篮子 电钻 锤子 毯子 茶壶 架子 花瓶 "
    "绳子 帐篷 订书机 计算器 围巾 背包 罐子 扫帚 风扇 打印机 靠垫 话筒 三脚架 哨子 风筝 指南针 保温杯 信封 磁铁 炒锅"
)


@dataclass(frozen=True)
class Fact:
    """What is remembered of a user, and a question for it in other words."""

    text: str
    question: str


@cache
def facts(*, chinese: bool) -> tuple[Fact, ...]:
    with FACTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return tuple(Fact(row[2], row[3]) if chinese else Fact(row[0], row[1]) for row in rows)


def deeds(*, chinese: bool) -> Iterator[str]:
    """Yield what else is remembered, all of it different."""
    years, months = range(2010, 2026), range(12)
    if chinese:
        parts = product(years, months, CHINESE_DEEDS.split(), CHINESE_THINGS.split())
        texts = [f"用户在 {year} 年 {month + 1} 月{deed}{thing}。" for year, month, deed, thing in parts]
    else:
        names = ENGLISH_MONTHS.split()
        parts = product(years, months, ENGLISH_DEEDS.split(), ENGLISH_THINGS.split())
        texts = [f"The user {deed} the {thing} in {names[month]} {year}." for year, month, deed, thing in parts]
    random.Random(SEED).shuffle(texts)  # noqa: S311 - the same stores at every run
    return iter(texts)


def stores(size: int, *, chinese: bool) -> list[Collection]:
    """Return the stores of a size: of the smallest several, until every fact was in one."""
    every = list(facts(chinese=chinese))
    random.Random(SEED).shuffle(every)  # noqa: S311 - the same stores at every run
    held = min(size, len(every) // 2)
    return [
        store(
            f"{size} memories, {'zh' if chinese else 'en'} {at // held}",
            every[at : at + held],
            every,
            size,
            chinese=chinese,
        )
        for at in range(0, len(every) - held + 1, held)
    ]


def store(name: str, there: Sequence[Fact], every: Sequence[Fact], size: int, *, chinese: bool) -> Collection:
    """Return a store with some facts, asked for them and for as many others."""
    texts = [*(fact.text for fact in there), *islice(deeds(chinese=chinese), size - len(there))]
    order = list(range(len(texts)))
    random.Random(name).shuffle(order)  # noqa: S311 - the same order at every run
    items = tuple(Item(texts[position], UNDATED + DAY * place / 10) for place, position in enumerate(order))
    absent = [fact for fact in every if fact not in there][: len(there)]
    places = {position: place for place, position in enumerate(order)}
    questions = [Asked(fact.question, frozenset({places[number]}), PRESENT) for number, fact in enumerate(there)]
    questions += [Asked(fact.question, frozenset(), ABSENT) for fact in absent]
    return Collection(name, items, tuple(questions))

"""Votes cast through the real tool, by chance: trust as it is when several agents have worked with a store."""

import random
from collections import defaultdict
from collections.abc import Sequence

from tqdm import tqdm

from evaluation.sets import Collection
from evaluation.tool import Ids, said, serving
from firmmem import scoring
from firmmem.settings import Settings

SEED = 1885
VOTED = 1 / 3  # of the memories, each on its own
LEAST, MOST = 0.2, 0.95  # the trust that a memory which is voted on moves to, evenly between
CALLED = 50  # memories in one call

Ballots = list[dict[tuple[str, str], list[int]]]  # by session, by namespace and outcome, the memories voted on


async def cast(collections: Sequence[Collection], ids: Ids, settings: Settings) -> None:
    """Vote from several sessions, each of its own server, after the last item of each namespace was written."""
    ends_at = {each.name: each.ends_at for each in collections}
    for ballot in tqdm(ballots(ids, settings), desc="vote", unit=" sessions"):
        async with serving(settings) as (client, clock):
            for (namespace, outcome), voted in ballot.items():
                clock.now = ends_at[namespace]
                for start in range(0, len(voted), CALLED):
                    named = {"memory_ids": voted[start : start + CALLED], "namespace": namespace}
                    await said(client, "firmmem_memory_feedback", {"outcome": outcome, **named})


def ballots(ids: Ids, settings: Settings) -> Ballots:
    """Return what each session votes: so many on a memory as bring its trust to a chance target."""
    chance = random.Random(SEED)  # noqa: S311 - the same votes at every run
    found: Ballots = []
    for namespace, memories in ids.items():
        for memory in dict.fromkeys(memories):
            if chance.random() >= VOTED:
                continue
            outcome, count = votes_to(chance.uniform(LEAST, MOST), settings)
            found += (defaultdict(list) for _ in range(count - len(found)))
            for ballot in found[:count]:
                ballot[namespace, outcome].append(memory)
    return found


def votes_to(target: float, settings: Settings) -> tuple[str, int]:
    """Return the outcome and how many votes of it bring a verified memory's trust to a target or just past it."""
    trust, count = scoring.VERIFIED_TRUST, 0
    outcome = "positive" if target > trust else "negative"
    while (trust < target) == (outcome == "positive"):
        trust = scoring.update_trust(trust, outcome, settings.feedback_pos_delta, settings.feedback_neg_delta)
        count += 1
    return outcome, count

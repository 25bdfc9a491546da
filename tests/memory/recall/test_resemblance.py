"""Memories that share the words of the best matches are lifted, and the best match stays the best."""

import pytest
from support.agent import Agent

from firmmem import scoring
from firmmem.memory.recall.resemblance import telling_shares


async def written(agent: Agent, *texts: str) -> None:
    for text in texts:
        await agent.write(text, "validated")
        agent.clock.pass_days(1)


async def test_what_shares_words_with_the_best_match_is_lifted(agent: Agent) -> None:
    await written(
        agent,
        "Nora plays the cello in the Sinfonietta",
        "The Sinfonietta with its cello section played in Bergen",
        *(f"A band played in Oslo, evening {number}" for number in range(9)),
        *(f"The roof was repaired, part {number}" for number in range(20)),
    )
    found = await agent.found("Where does Nora play?")
    assert found[0] == 1
    assert found[1] == 2


@pytest.mark.parametrize("resemblance", [0.0, 0.8, 5.0])
async def test_the_best_match_stays_the_best(agent: Agent, monkeypatch: pytest.MonkeyPatch, resemblance: float) -> None:
    monkeypatch.setattr(scoring, "RESEMBLANCE", resemblance)
    await written(
        agent,
        "The vault opens with the brass key in the drawer of the desk",
        *(f"The vault was cleaned, drawer {number} of the desk too" for number in range(20)),
    )
    result = await agent.recall("vault brass key")
    assert result.memories[0].id == 1
    assert all(0.0 <= memory.relevance <= 1.0 for memory in result.memories)


def test_the_words_of_the_leading_matches_are_shared_out_by_rarity() -> None:
    words = {1: {"cello", "the", "oslo"}, 2: {"oslo"}, 3: {"oslo", "roof"}, 4: set()}
    shares = telling_shares(words, {1: 1.0}, {"nora"})
    assert set(shares) == {"cello", "oslo"}
    assert shares["cello"] > shares["oslo"]
    assert sum(shares.values()) == pytest.approx(1.0)
    assert telling_shares(words, {1: 1.0}, {"cello", "oslo"}) == {}
    assert telling_shares({}, {1: 1.0}, set()) == {}

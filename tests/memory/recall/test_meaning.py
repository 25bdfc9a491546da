"""Recall by meaning, with the model of the checkout: across languages, and never in the way of recall by words."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.agent import Agent
from support.stores import Clock

from firmmem import scoring
from firmmem.contract import NewMemory, Question, Recalled
from firmmem.encoder.embedding import Encoder
from firmmem.encoder.models import DEFAULT, find_model, list_models
from firmmem.memory.recall.meaning import Meaning, build_meaning
from firmmem.memory.recall.recall import recall
from firmmem.memory.recall.vectors import Spaces, count_unembedded
from firmmem.memory.write import core_facts
from firmmem.memory.write.proposals import offer_fact
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection

pytestmark = pytest.mark.skipif(
    DEFAULT not in list_models() or find_spec("onnxruntime") is None,
    reason="the model or the extra `semantic` is not installed",
)


@dataclass
class Understanding(Agent):
    """An agent whose recalls go by meaning too."""

    meaning: Meaning | None = None

    async def recall(self, query: str = "", **said: Any) -> Recalled:
        question = Question(**{"namespace": self.namespace, "query": query, **said})
        return await recall(self.database, question, meaning=self.meaning, now=self.clock())

    async def remember(self, *summaries: str) -> list[int]:
        """Write verified memories and embed them; return their ids."""
        ids = [(await self.write(summary, "validated")).id for summary in summaries]
        await self.embed()
        return ids

    async def embed(self) -> None:
        assert self.meaning
        await self.meaning.embed_all(self.database)


@pytest.fixture(scope="module")
def encoder() -> Iterator[Encoder]:
    """The default model, loaded once."""
    opened = Encoder(find_model())
    yield opened
    opened.close()


@pytest.fixture
def agent(database: Database, clock: Clock, encoder: Encoder) -> Understanding:
    return Understanding(database, clock, meaning=Meaning(encoder, Spaces(encoder.model)))


async def test_what_was_written_in_one_language_is_found_in_the_other(agent: Understanding) -> None:
    tea, car = await agent.remember("用户喜欢喝绿茶", "The car is parked in the garage")
    assert (await agent.found("what kind of tea does the user like"))[0] == tea
    assert (await agent.found("汽车停在哪里"))[0] == car


async def test_nothing_relevant_is_nothing_with_the_model_too(agent: Understanding) -> None:
    await agent.remember(
        "The Kubernetes cluster runs in eu-west-1",
        "Pods restart when memory runs out",
        "Helm charts live in the infra repository",
    )
    found = await agent.recall("how long does pizza dough rise")
    assert (found.memories, found.nearest) == ((), True)
    assert (await agent.recall("how long does pizza dough rise", explain=True)).memories


async def test_a_memory_without_a_vector_is_found_by_its_words(agent: Understanding) -> None:
    await agent.remember("The office is in Lisbon")
    late = await agent.write("The warehouse key hangs behind the door", "validated")
    assert (await agent.found("warehouse key"))[0] == late.id


async def test_a_memory_of_another_namespace_is_not_near(agent: Understanding) -> None:
    await agent.remember("The car is parked in the garage")
    other = Understanding(agent.database, agent.clock, namespace="other", meaning=agent.meaning)
    await other.remember("Tea is kept in the kitchen")
    assert len((await other.recall("汽车停在哪里", explain=True)).memories) <= 1
    assert await other.found("car in the garage") == []


async def test_what_is_archived_is_not_near_until_it_is_restored(agent: Understanding) -> None:
    [car] = await agent.remember("The car is parked in the garage")
    assert await agent.found("汽车停在哪里") == [car]
    await agent.archive(car)
    assert await agent.found("汽车停在哪里") == []
    await agent.restore(car)
    assert await agent.found("汽车停在哪里") == [car]


async def test_an_edited_core_fact_is_read_anew(agent: Understanding, settings: Settings) -> None:
    fact = (await agent.write("The user's dog is called Bello", "core")).id
    await agent.embed()
    person = open_connection(settings, by_person=True)
    core_facts.edit_fact(person, fact, "The user plays the violin", settings, namespace="default", now=agent.clock())
    person.close()
    assert await unembedded(agent) > 0
    await agent.embed()
    assert (await agent.found("用户会演奏什么乐器"))[:1] == [fact]


async def test_vectors_of_another_model_are_never_compared(agent: Understanding) -> None:
    await agent.remember("The car is parked in the garage")
    await agent.database.write(
        lambda connection: connection.execute("UPDATE encoder SET fingerprint = 'of another model'")
    )
    assert await agent.found("汽车停在哪里") == []
    await agent.embed()
    assert len(await agent.found("汽车停在哪里")) == 1


async def test_both_parts_of_a_relevance_are_explained(agent: Understanding) -> None:
    await agent.remember("The car is parked in the garage", "The bus leaves at noon")
    best = (await agent.recall("where is the car parked", explain=True)).memories[0]
    assert best.meaning is not None
    assert best.relevance == pytest.approx(scoring.fuse_relevance(best.words_relevance, best.meaning, 0))
    assert best.words_relevance != best.meaning


async def unembedded(agent: Understanding) -> int:
    def count(connection: Connection) -> int:
        return count_unembedded(connection, find_model())

    return await agent.database.read(count)


@pytest.mark.parametrize("fault", ["altered", "missing file", "missing folder", "unknown name"])
async def test_a_model_that_cannot_be_used_is_told_in_one_sentence_and_words_still_find(
    database: Database, clock: Clock, tmp_path: Path, fault: str
) -> None:
    folder = tmp_path / "model"
    if fault != "missing folder":
        shutil.copytree(find_model().folder, folder)
    if fault == "altered":
        graph = folder / "model.onnx"
        content = bytearray(graph.read_bytes())
        content[len(content) // 2] ^= 1
        graph.write_bytes(content)
    if fault == "missing file":
        (folder / "tokenizer.json").unlink()
    chosen = {"model": "nosuch"} if fault == "unknown name" else {"model_dir": str(folder)}
    settings = Settings(db=database.path, semantic_rerank=True, **chosen)
    agent = Understanding(database, clock, meaning=build_meaning(settings))
    written = await agent.write("The office is in Lisbon", "validated")
    await agent.embed()
    found = await agent.recall("office")
    assert [memory.id for memory in found.memories] == [written.id]
    [note] = found.notes
    assert note.startswith("found by words only: ")


async def test_a_language_the_model_does_not_know_is_searched_by_words(agent: Understanding) -> None:
    [written] = await agent.remember("Пользователь живёт в Москве")
    assert await agent.found("Москве") == [written]


async def test_a_core_fact_that_contradicts_one_in_another_language_is_a_proposal_that_names_it(
    agent: Understanding,
) -> None:
    meaning = agent.meaning
    assert meaning
    for fact in ("The user is allergic to peanuts", "The user lives in Berlin", "The user's name is Ada"):
        await agent.write(fact, "core")
    await agent.embed()

    async def offered(fact: str) -> tuple[str, list[int]]:
        near = await meaning.near_core_facts(agent.database, fact, "default")
        new = NewMemory(fact, "core", "default", near=near)
        written = await offer_fact(agent.database, new, agent.author, now=agent.clock())
        return written.status, [quote.id for quote in written.conflicting]

    assert await offered("用户对花生不过敏") == ("proposed", [1])
    assert await offered("用户搬到慕尼黑了") == ("proposed", [2])
    assert await offered("用户没有驾照") == ("stored", [])

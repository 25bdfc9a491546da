"""`firmmem recall`: what an agent would be told, without a trace."""

from support.firmmem_command import Firmmem


def test_memories_are_found_and_the_file_is_byte_for_byte_the_same(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "用户喜欢喝绿茶 and oolong", "--tag", "taste")
    before = firmmem.db.read_bytes()
    for query in ("绿茶", "oolong", ""):
        said = firmmem.does("recall", query)
        assert "#1 core" in said
        assert "[taste] 用户喜欢喝绿茶 and oolong" in said
    assert firmmem.db.read_bytes() == before


def test_several_words_are_one_query(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The café in Porto is called Majestic.")
    assert "Majestic" in firmmem.does("recall", "what", "was", "the", "cafe", "in", "porto")


def test_explain_shows_the_factors(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user drinks tea.")
    assert "relevance" in firmmem.does("recall", "tea", "--explain")


def test_removed_facts_are_found_on_request(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user drinks tea.")
    firmmem.does("core", "remove", "1", "--yes")
    assert "1 archived memory matches" in firmmem.does("recall", "tea")
    assert "(archived) The user drinks tea." in firmmem.does("recall", "tea", "--archived")


def test_the_limit_holds(firmmem: Firmmem) -> None:
    for number in range(4):
        firmmem.does("core", "add", f"Tea number {number}.")
    told = firmmem.does("recall", "tea", "--limit", "2").splitlines()
    assert len([line for line in told if line.startswith("#")]) == 2
    assert firmmem("recall", "tea", "--limit", "0").code == 2


def test_a_file_that_does_not_exist_is_not_made(firmmem: Firmmem) -> None:
    assert "does not exist" in firmmem.does("recall", "tea")
    assert not firmmem.db.exists()


def test_a_file_named_on_the_command_line_is_taken_from_the_working_folder(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user drinks tea.", "--db", "other.db")
    assert (firmmem.folder / "other.db").exists()
    assert "drinks tea" in firmmem.does("recall", "tea", "--db", "other.db")
    assert not firmmem.db.exists()

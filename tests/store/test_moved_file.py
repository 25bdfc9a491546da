"""The file replaced, moved or deleted while it is open: what was answered is in the file that is there."""

import os
import shutil
from pathlib import Path

import pytest
from support.stores import START, in_another_process, write_one

from firmmem.contract import Question
from firmmem.errors import MissingFileError, ReplacedFileError
from firmmem.memory.recall.recall import recall
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import has_wal_bug
from firmmem.store.statements import transaction

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows moves no file that is open")


def file_with(path: Path, *summaries: str) -> Settings:
    settings = Settings(db=path)
    connection = open_connection(settings)
    with transaction(connection):
        for summary in summaries:
            write_one(connection, settings, summary)
    connection.close()
    return settings


async def told(database: Database) -> set[str]:
    question = Question("default", limit=100, token_budget=20_000)
    return {memory.summary for memory in (await recall(database, question, now=START)).memories}


def summaries(settings: Settings) -> set[str]:
    """Return what is in the file, by another process."""
    done = in_another_process(
        """
        import sys
        from pathlib import Path
        from firmmem.store.opening import open_connection
        from firmmem.settings import Settings
        file = open_connection(Settings(db=Path(sys.argv[1])), writes=False)
        print("\\n".join(row[0] for row in file.execute("SELECT summary FROM memory")))
        assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        file.close()
        """,
        settings.db,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


async def test_a_file_put_in_its_place_is_opened_by_reads_and_writes(settings: Settings, tmp_path: Path) -> None:
    other = file_with(tmp_path / "other.db", "In the new file")
    async with open_database(settings) as database:
        await database.write(write_one, settings, "In the old file")
        kept = tmp_path / "kept.db"
        os.link(settings.db, kept)
        other.db.replace(settings.db)
        assert await told(database) == {"In the new file"}
        assert (await database.write(write_one, settings, "Written after")).status == "stored"
        assert await told(database) == {"In the new file", "Written after"}
    assert summaries(settings) == {"In the new file", "Written after"}
    assert summaries(Settings(db=kept)) == {"In the old file"}


async def test_a_write_during_which_the_file_is_replaced_is_in_the_new_one(settings: Settings, tmp_path: Path) -> None:
    other = file_with(tmp_path / "other.db", "In the new file")

    def replaced_meanwhile(connection: object) -> str:
        status = write_one(connection, settings, "Written meanwhile").status  # type: ignore[arg-type]
        if other.db.exists():
            other.db.replace(settings.db)
        return status

    async with open_database(settings) as database:
        assert await database.write(replaced_meanwhile) == "stored"
    assert summaries(settings) == {"In the new file", "Written meanwhile"}


@pytest.mark.parametrize("how", ["moved", "deleted", "emptied"])
async def test_a_file_that_is_gone_is_told_until_it_is_back_and_never_made_anew(
    settings: Settings, tmp_path: Path, how: str
) -> None:
    async with open_database(settings) as database:
        await database.write(write_one, settings, "Before")
        away = tmp_path / "away.db"
        if how == "moved":
            settings.db.rename(away)
        else:
            os.link(settings.db, away)
            settings.db.unlink()
            if how == "emptied":
                settings.db.touch()
        for _ in range(2):
            with pytest.raises(MissingFileError, match="put it back"):
                await told(database)
            with pytest.raises(MissingFileError):
                await database.write(write_one, settings, "Nowhere")
        assert not settings.db.exists() or settings.db.stat().st_size == 0
        away.replace(settings.db)
        assert await told(database) == {"Before"}
        assert (await database.write(write_one, settings, "After")).status == "stored"
    assert summaries(settings) == {"Before", "After"}


@pytest.mark.skipif(has_wal_bug(), reason="the rollback journal leaves nothing beside the file")
async def test_a_new_file_is_not_opened_over_the_wal_of_the_old_one(settings: Settings, tmp_path: Path) -> None:
    other = file_with(tmp_path / "other.db", "In the new file")
    async with open_database(settings) as database, open_database(settings) as another:
        await another.write(write_one, settings, "In the old file")
        reader = open_connection(settings, writes=False)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchone()
        await another.write(write_one, settings, "Only in the WAL")
        other.db.replace(settings.db)
        with pytest.raises(ReplacedFileError, match="end every client"):
            await told(database)
        reader.execute("COMMIT")
        reader.close()
        assert await told(database) == {"In the new file"}
        assert await told(another) == {"In the new file"}
    assert summaries(settings) == {"In the new file"}


async def test_a_link_that_points_elsewhere_is_followed(settings: Settings, tmp_path: Path) -> None:
    one = file_with(tmp_path / "one.db", "In one")
    two = file_with(tmp_path / "two.db", "In two")
    settings.db.symlink_to(one.db)
    async with open_database(settings) as database:
        assert await told(database) == {"In one"}
        shutil.copy(one.db, tmp_path / "copy.db")
        (tmp_path / "new link").symlink_to(two.db)
        (tmp_path / "new link").replace(settings.db)
        assert await told(database) == {"In two"}
